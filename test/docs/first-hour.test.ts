import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { size } from '../kit/size.ts'
import { STORES } from '../kit/stores.ts'
import { type Block, blocksOf, type PageShell, type Ran, startPageShell } from './page-in-a-shell.ts'
import { saidAndShown } from './said.ts'

// The page is followed as a reader would: files are written as they stand there, commands run in one shell, and
// the server by the program that ships. A block of JSON or text after commands is what their last lines say.

const PAGE = join(import.meta.dirname, '../../docs/first-hour.md')
const blocks = blocksOf(readFileSync(PAGE, 'utf8'))

/** The page is about the first of them. Its commands are some forty starts of the program. */
const FOLLOWED = STORES.slice(0, size('PAGE_STORES', { smoke: 1, whole: STORES.length }))

describe.each(FOLLOWED)('docs/first-hour.md, on $name', ({ name, open }) => {
  it('does what it says, command by command', async () => {
    const database = await open()
    const shell = startPageShell(freePort(), name === 'sqlite' ? undefined : database.config())
    onTestFinished(async () => {
      await shell.stop()
      await database.drop()
    })
    let last: Ran | undefined
    for (const block of blocks) last = await follow(block, shell, last)
  }, 300_000)
})

/** Does what a block says; answers what its commands did. */
async function follow(
  { language, info, text, line }: Block,
  shell: PageShell,
  last: Ran | undefined,
): Promise<Ran | undefined> {
  const at = `line ${line}`
  if (language === 'sh' && (info === 'server' || info === 'restart')) await shell.serve(text.trim())
  else if (language === 'sh') {
    const ran = await shell.run(text)
    expect(ran.isWell, `${at}: ${ran.complaints}${ran.output}`).toBe(true)
    return ran
  } else if (info !== '') await shell.write(info, text)
  else {
    const { said, shown } = saidAndShown(last?.output ?? '', text)
    expect({ at, said }).toMatchObject({ at, said: shown })
  }
  return undefined
}

/** A port that hardly anybody else uses: it lies below those that a system hands out by itself. */
const freePort = (): number => 20_000 + Math.floor(Math.random() * 12_000)
