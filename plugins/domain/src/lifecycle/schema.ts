import { type Action, defineAction, type Logger, Reply } from '@svc/kernel'
import type { z } from 'zod'
import { presentSchema } from '../present/schema.ts'
import { localeFacts } from '../speech/speech.ts'
import { type Lifecycle, Named } from './lifecycle.ts'

/** Describes the resources of a domain to clients. */
export const schema = ({ engine, log }: Lifecycle & { readonly log: Logger }): Action =>
  defineAction<z.output<typeof Named>, unknown>({
    name: 'svc.domain.schema',
    summary: 'Describe the resources of a domain',
    access: ['*'],
    routes: ['GET /api/v1/domains/:name/schema'],
    input: Named,
    handle({ name }, call) {
      const { described } = engine.inForce.find(name)
      const locale = described.localizer.locale(call.request?.meta('accept-language'))
      return new Reply({ data: presentSchema(described, locale, log), ...localeFacts(locale) })
    },
  })
