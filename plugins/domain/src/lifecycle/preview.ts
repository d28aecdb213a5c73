import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import { DefinitionError } from '../definition/problem.ts'
import { absentActors } from './acting.ts'
import { comparisonOf } from './compare.ts'
import { type Lifecycle, orParseError, Submission } from './lifecycle.ts'
import { warningsOf } from './parse-error.ts'

const Preview = Submission.extend({ name: z.string() })

/** Says what a definition would change, and changes nothing. */
export const preview = ({ engine, store, accounts }: Lifecycle): Action =>
  defineAction<z.output<typeof Preview>, unknown>({
    name: 'svc.domain.preview',
    summary: 'Show what a definition would change',
    access: ['admin'],
    routes: ['POST /api/v1/domains/:name/preview'],
    input: Preview,
    async handle({ name, content, format }, call) {
      const { read, steps } = await orParseError(async () => {
        const read = await engine.read(content, format)
        if (read.model.name !== name.toLowerCase()) throw otherDomain(read.model.name, name)
        return { read, steps: await engine.preview(read, call.caller) }
      })
      const absent = await absentActors(read.model, accounts)
      for (const warning of [...warningsOf(read), ...absent]) call.warn(warning)
      const current = engine.inForce.list().find(({ model }) => model.name === read.model.name)
      return comparisonOf(current?.model, read.model, steps, store)
    },
  })

const otherDomain = (found: string, asked: string) =>
  new DefinitionError([
    { path: ['domain', 'name'], message: `this defines '${found}', and the preview is of '${asked}'` },
  ])
