import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where a configuration of fonts is looked for (https://www.freedesktop.org/software/fontconfig). */
const NAMED_BY = 'FONTCONFIG_FILE'

/**
 * Runs work that looks for fonts, and has it find none but those that it brings: the library asks the configuration of the system
 * where they are, and cannot be told not to. It is handed another one, by which they are in an empty folder.
 */
export function withoutSystemFonts<T>(work: () => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'svc-fonts-'))
  const before = process.env[NAMED_BY]
  try {
    const file = join(folder, 'fonts.conf')
    writeFileSync(file, `<?xml version="1.0"?><fontconfig><dir>${join(folder, 'none')}</dir></fontconfig>`)
    process.env[NAMED_BY] = file
    return work()
  } finally {
    if (before === undefined) delete process.env[NAMED_BY]
    else process.env[NAMED_BY] = before
    rmSync(folder, { recursive: true, force: true })
  }
}
