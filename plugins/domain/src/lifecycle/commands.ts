import { isAbsolute, resolve } from 'node:path'
import { errors, SYSTEM } from '@svc/kernel'
import type { Command } from '@svc/management/contract'
import type { Store } from '@svc/store/contract'
import { z } from 'zod'
import type { Engine } from '../engine/engine.ts'
import { comparisonOf } from './compare.ts'
import { applyFile } from './file.ts'
import { orParseError } from './lifecycle.ts'
import { warningsOf } from './parse-error.ts'
import type { ReadModel } from './read-model.ts'

const File = z.object({
  file: z
    .string()
    .refine((path) => isAbsolute(path), 'must be an absolute path')
    .describe(
      'The absolute path of a definition file, which this server reads together with what it includes',
    ),
})
const Application = File.extend({ allow_destructive: z.boolean().default(false) })

/**
 * What the owner of the process asks of definitions by the management socket. It names a file in place of sending its
 * text: a line has 64 KiB, includes have a folder, and whoever may write to the socket owns what the server may read.
 */
export function definitionCommands(
  engine: () => Engine | undefined,
  store: Store,
  configured: readonly string[],
): readonly Command[] {
  const files = new Set(configured.map((file) => resolve(file)))
  const opened = () => {
    const found = engine()
    if (found === undefined) throw errors.UNAVAILABLE({ message: 'The server is starting: try again' })
    return found
  }
  const told = (read: ReadModel) => ({ warnings: warningsOf(read).map(({ message }) => message) })

  const apply: Command = {
    name: 'apply',
    input: Application,
    run({ log }, input) {
      const { file, allow_destructive: allowDestructive } = Application.parse(input)
      return orParseError(async () => {
        const read = await opened().readFile(file)
        const { unchanged, ddlCount } = await applyFile(read, {
          engine: opened(),
          file,
          isConfigured: files.has(resolve(file)),
          allowDestructive,
          log,
        })
        const { name: domain, version } = read.model
        return { domain, version, unchanged, ddl_count: ddlCount, ...told(read) }
      })
    },
  }

  const preview: Command = {
    name: 'preview',
    input: File,
    run(_, input) {
      const { file } = File.parse(input)
      return orParseError(async () => {
        const read = await opened().readFile(file)
        const steps = await opened().preview(read, SYSTEM)
        const current = opened().inForce.get(read.model.name)
        return { ...comparisonOf(current?.model, read.model, steps, store), ...told(read) }
      })
    },
  }

  return [apply, preview]
}
