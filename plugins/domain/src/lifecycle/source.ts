import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import { invalidQuery, type Lifecycle, Named } from './lifecycle.ts'

const Source = Named.extend({ format: z.string().optional() })

/** Answers the definition as it was written, or with its directives expanded; variables stay as written. */
export const source = ({ engine }: Lifecycle): Action =>
  defineAction<z.output<typeof Source>, unknown>({
    name: 'svc.domain.source',
    summary: 'Get the definition of a domain',
    access: ['*'],
    routes: ['GET /api/v1/domains/:name/source'],
    input: Source,
    handle({ name, format }) {
      const { model, stored } = engine.inForce.find(name)
      const facts = { name: model.name, version: stored.version }
      if (format === undefined) return { ...facts, format: stored.format, source: stored.source }
      if (format !== 'resolved') throw invalidQuery('format', ['resolved'])
      return { ...facts, format, resolved: JSON.parse(stored.resolved) as unknown }
    },
  })
