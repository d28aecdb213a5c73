import { DefinitionError, type Problem } from '@svc/domain/contract'
import type { Arguments } from '../arguments.ts'
import { readerFor } from '../language.ts'
import { type Command, LANGUAGE_CONFIG } from './command.ts'
import { definitionFile, fileOf, lineOf, readDefinition } from './definition-file.ts'

/** Checks a definition without a server and without a database. */
export const validate: Command = {
  words: ['validate'],
  usage: ['<definition> [--json] [--strict] [--config <config.json>]'],
  summary: 'check a definition, and say what is wrong with it',
  about:
    'Needs neither a server nor a database. Each finding is one line: `file:line:column: path: message`.',
  options: {
    json: { about: 'Print the findings as JSON' },
    strict: { about: 'Fail for warnings too' },
    config: LANGUAGE_CONFIG,
  },
  async run(args, terminal) {
    const file = definitionFile(args)
    const judgement = await judge(file, args)
    terminal.out(args.flags.has('json') ? json(judgement, file) : text(judgement, file))
    const { problems, warnings } = judgement
    return problems.length + (args.flags.has('strict') ? warnings.length : 0) === 0 ? 0 : 1
  },
}

interface Judgement {
  /** What the definition is; undefined where it cannot be used. */
  readonly title: string | undefined
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
}

async function judge(file: string, args: Arguments): Promise<Judgement> {
  try {
    const { model, warnings } = await readDefinition(file, await readerFor(args))
    const title = `${model.name} ${model.version}, ${counted(model.resources.size, 'resource')}`
    return { title, problems: [], warnings }
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error
    return { title: undefined, problems: error.problems, warnings: error.warnings }
  }
}

/** One line for each finding, as compilers write them, and one that sums up. */
function text({ title, problems, warnings }: Judgement, file: string): string {
  const summary = [counted(problems.length, 'problem'), counted(warnings.length, 'warning')].join(', ')
  return [
    ...problems.map((one) => lineOf(one, file)),
    ...warnings.map((one) => lineOf({ ...one, message: `warning: ${one.message}` }, file)),
    title === undefined ? `${file} is not valid: ${summary}` : `${file} is valid (${title}): ${summary}`,
    '',
  ].join('\n')
}

function json({ problems, warnings }: Judgement, file: string): string {
  const told = (one: Problem) => ({
    path: one.path.join('.'),
    file: fileOf(one, file),
    line: one.position?.line ?? null,
    column: one.position?.column ?? null,
    message: one.message,
    hint: one.hint ?? null,
  })
  const valid = problems.length === 0
  return `${JSON.stringify({ valid, problems: problems.map(told), warnings: warnings.map(told) }, null, 2)}\n`
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
