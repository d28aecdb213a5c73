import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { DefinitionError, type Problem } from '../../plugins/domain/src/definition/problem.ts'
import { variablesOf } from '@svc/kernel'
import { createFieldTypes } from '../../plugins/domain/src/fields/index.ts'
import { readModel } from '../../plugins/domain/src/lifecycle/read-model.ts'

// Each file in `mistakes` is a definition that is wrong, and each folder one whose root is `domain.yaml`. Leading
// comments say what is reported, one block a problem, in order: `# path:` begins it; `# line:`, `# file:`,
// `# message:` and `# hint:` (a part of the text) follow. What a JSON file expects stands in `<name>.json.expected`.

const FOLDER = join(import.meta.dirname, 'mistakes')
const KEYS = ['path', 'line', 'file', 'message', 'hint'] as const
type Expected = Partial<Record<(typeof KEYS)[number], string>>

const types = createFieldTypes()
const language = {
  types,
  extensions: {
    typeAttributes: types.attributes,
    domainBlocks: { rules: z.record(z.string(), z.strictObject({ message: z.string() })) },
    resourceBlocks: {},
  },
}
const variables = variablesOf({ SVC_DOMAIN_REGION: 'eu', SECRET: 'hidden' }, ['SVC_DOMAIN_*'])

const cases = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => extname(entry.name) !== '.expected')
  .map((entry) => ({ name: entry.name, path: join(FOLDER, entry.name), isFolder: entry.isDirectory() }))

describe('a wrong definition is refused with all that is wrong in it', () => {
  it.each(cases)('$name', async ({ path, isFolder }) => {
    const root = isFolder ? join(path, 'domain.yaml') : path
    const source = isFolder ? { file: root } : { text: readFileSync(path, 'utf8') }
    const problems = await problemsOf(readModel(source, language, variables))
    const expected = expectedOf(root)
    expect(problems.map(shown)).toEqual(
      expected.map((one, index) => ({ ...shownParts(one, problems[index]) })),
    )
  })
})

/** The problem in the words of the file, so that a difference reads well. */
const shown = ({ path, message, hint, position }: Problem) => ({
  path: path.join('.'),
  line: String(position?.line),
  file: position?.file ?? '',
  message,
  hint: hint ?? '',
})

/** What is expected; a text of which a part is expected stands for the whole where it holds that part. */
function shownParts(expected: Expected, actual: Problem | undefined) {
  const whole = actual && shown(actual)
  const part = (key: 'message' | 'hint') => {
    const wanted = expected[key] ?? ''
    return whole?.[key].includes(wanted) ? whole[key] : wanted
  }
  return {
    path: expected.path ?? '',
    line: expected.line ?? '',
    file: expected.file ?? whole?.file ?? '',
    message: part('message'),
    hint: part('hint'),
  }
}

function expectedOf(file: string): readonly Expected[] {
  const text = readFileSync(extname(file) === '.json' ? `${file}.expected` : file, 'utf8')
  const blocks: Expected[] = []
  for (const [, key = '', value = ''] of text.matchAll(/^# (\w+):(.*)$/gm)) {
    const known = KEYS.find((one) => one === key)
    if (known === 'path') blocks.push({})
    const block = blocks.at(-1)
    if (known && block) block[known] = value.trim()
  }
  return blocks
}

async function problemsOf(loading: Promise<unknown>): Promise<readonly Problem[]> {
  try {
    await loading
  } catch (error) {
    if (error instanceof DefinitionError) return error.problems
    throw error
  }
  return []
}
