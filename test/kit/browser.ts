import { existsSync } from 'node:fs'

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The path of a Chromium; `CHROMIUM_PATH` names one that is somewhere else. */
export const chromiumPath: string | undefined = [process.env['CHROMIUM_PATH'], ...PATHS].find(
  (path) => path !== undefined && existsSync(path),
)

if (chromiumPath === undefined) {
  process.stderr.write(
    '\n*** No Chromium was found: NOTHING IS TESTED IN A BROWSER, neither the documentation page nor pictures. ' +
      'Install chromium, or set CHROMIUM_PATH. ***\n\n',
  )
}
