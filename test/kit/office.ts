import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pathToFileURL } from 'node:url'

const run = promisify(execFile)

/** Where LibreOffice is; `OFFICE_PATH` names one that is somewhere else. */
export const officePath: string | undefined = [
  process.env['OFFICE_PATH'],
  '/usr/bin/soffice',
  '/usr/bin/libreoffice',
].find((path) => path !== undefined && existsSync(path))

if (officePath === undefined)
  process.stderr.write(
    '\n*** No LibreOffice was found: WHAT ANOTHER WORD PROCESSOR MAKES OF DOCUMENTS IS NOT TESTED. Install libreoffice-writer, or ' +
      'set OFFICE_PATH. ***\n\n',
  )

/** The bytes of a document as LibreOffice prints it, as pdf. */
export async function printed(folder: string, name: string, bytes: Uint8Array): Promise<Uint8Array> {
  if (officePath === undefined) throw new Error('there is no LibreOffice')
  const file = join(folder, `${name}.docx`)
  await writeFile(file, bytes)
  const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile')).href}`
  const asked = ['--headless', '--norestore', profile, '--convert-to', 'pdf', '--outdir', folder, file]
  await run(officePath, asked, { timeout: 120_000 })
  return readFile(join(folder, `${name}.pdf`))
}
