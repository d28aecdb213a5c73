import type { Window } from '@svc/automation/contract'
import { domainAction, type DomainAction } from '@svc/domain/contract'
import { errors } from '@svc/kernel'
import { z } from 'zod'
import { receive } from '../inbound/receive.ts'
import type { Setting } from '../run/means.ts'

/** The action to which others send messages. */
export const receiveWindow = (setting: Setting): Window => ({
  actions: [
    domainAction({
      name: 'receive',
      summary: 'Take a message from elsewhere',
      access: ['*'],
      routes: ['POST /webhooks/:name'],
      rawBody: { bytes: setting.parts.maxBodyBytes },
      input: z.looseObject({ name: z.string().describe('The name of the webhook.') }),
      handle({ name }, call, data) {
        const integration = setting.integrations.get(name)
        const { webhook } = integration ?? {}
        if (integration === undefined || webhook === undefined || !integration.enabled)
          throw errors.NOT_FOUND({ message: `There is no webhook '${name.slice(0, 63)}'` })
        if (!setting.parts.isEnabled)
          throw errors.UNAVAILABLE({
            message: 'This server takes no messages: integrations are switched off',
          })
        return receive(integration, webhook, call, { ...setting, data })
      },
    }) as DomainAction,
  ],
  openapi: {
    operations: {
      receive: {
        description:
          'The body is what the webhook takes: JSON unless its definition says `form` or `text`. 200 once it is written, 202 once it is kept.',
        failures: [400, 401, 403, 404, 413, 415, 422, 429, 503],
      },
    },
  },
})
