import { definePlugin } from '@svc/kernel'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFolder } from '../../kit/server-process.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel } from '../../kit/test-kernel.ts'

const gate = (onExit: string) => `
domain:
  name: gate
  version: '1.0'
  resources:
    BikeOrder:
      object:
        status: { type: string, enum: [open, sent] }
      stateMachine:
        field: status
        initial: open
        states:
          open: { onExit: [${onExit}], transitions: { send: { to: sent } } }
          sent: { onEnter: [thank] }
      api:
        customOperations: [{ name: pay }]
    Document: { object: { a: string } }
    Integration: { object: { a: string } }
    Media: { object: { a: string } }
    Notification: { object: { a: string } }
    Privacy: { object: { a: string } }
    Schedule: { object: { a: string } }
    Workflow: { object: { a: string } }
`

/** Every handler of these may be heard once the definition has the hooks `checkPaid` and `thank`; `weighed` is another plugin's event. */
const HEALTHY = `
on('svc.gate.bike-order.checkPaid', () => undefined)
on('svc.gate.bike-order.created', () => undefined)
on('svc.gate.bike-order.pay', () => undefined)
on('svc.gate.bike-order.upd*', () => undefined)
on('svc.gate.bike-order.history.paid', () => undefined)
on('svc.gate.bike-order.rule.creditLimit', () => undefined)
on('svc.gate.bike-order.rule.*', () => undefined)
on('svc.gate.bike-order.schemaChanged', () => undefined)
on('svc.gate.bike-order.weighed', () => undefined)
on('svc.gate.bike-order.scale.*', () => undefined)
on('svc.gate.documents.generated', () => undefined)
on('svc.gate.integrations.bank.deadletter', () => undefined)
on('svc.gate.integrations.bank.pay.succeeded', () => undefined)
on('svc.gate.media.uploaded', () => undefined)
on('svc.gate.notification.sent', () => undefined)
on('svc.gate.privacy.erased', () => undefined)
on('svc.gate.schedule.nightly.fired', () => undefined)
on('svc.gate.workflow.onboarding.started', () => undefined)
on('svc.gate.*', () => undefined)
on('svc.*', () => undefined)
`
const HEARS_ALL = /^on\('svc\.(?:gate\.)?\*'.*\n/gm

/** A plugin that handles the other hook. */
const thanking = definePlugin({
  name: 'thanking',
  phase: 'domain',
  setup: ({ bus, onStop }) => onStop(bus.on('svc.gate.bike-order.thank', () => undefined)),
})

for (const store of STORES) {
  describe(`what scripts never hear on ${store.name}`, () => {
    const start = async (script: string) => {
      const scripts = createFolder()
      scripts.write(script, 'gate.js')
      const config = { scripting: { dir: scripts.path } }
      const server = await startTestKernel({ store, config, plugins: [thanking] })
      onTestFinished(async () => {
        await server.stop()
        scripts.remove()
      })
      const warned = () =>
        server.log
          .filter(({ event }) => event === 'script.hook_unhandled' || event === 'script.handler_unheard')
          .map(({ level, event, fields }) => [
            level,
            event,
            fields['hook'] ?? fields['handler'],
            fields['nearest'],
          ])
      return { server, scripts, warned }
    }
    const settled = () => new Promise((resolve) => setTimeout(resolve, 400))

    it('a hook without a handler and a handler of nothing are told once, with the name that was meant', async () => {
      const { server, scripts, warned } = await start(`
        on('svc.gate.bike-order.checkPayd', () => { throw new Error('not paid') })
        on('svc.gate.bike-ordr.created', () => undefined)
        on('svc.gatte.bike-order.created', () => undefined)
        on('svc.gate.bike-order.creatd*', () => undefined)
      `)
      await settled()
      expect(warned()).toEqual([])
      await server.submit(gate('checkPaid'))
      const all = [
        ['warn', 'script.hook_unhandled', 'svc.gate.bike-order.checkPaid', undefined],
        ['warn', 'script.handler_unheard', 'svc.gate.bike-order.checkPayd', 'svc.gate.bike-order.checkPaid'],
        ['warn', 'script.handler_unheard', 'svc.gate.bike-ordr.created', 'svc.gate.bike-order.created'],
        ['warn', 'script.handler_unheard', 'svc.gatte.bike-order.created', 'svc.gate.bike-order.created'],
        ['warn', 'script.handler_unheard', 'svc.gate.bike-order.creatd*', 'svc.gate.bike-order.created'],
      ]
      await expect.poll(warned).toEqual(all)
      await server.submit(
        'domain: { name: other, version: "1", resources: { A: { object: { b: string } } } }',
      )
      await settled()
      expect(warned()).toEqual(all)
      scripts.write(HEALTHY.replaceAll(HEARS_ALL, '').replace('checkPaid', 'checkPait'), 'gate.js')
      await expect
        .poll(() => warned().slice(all.length))
        .toEqual([
          ['warn', 'script.hook_unhandled', 'svc.gate.bike-order.checkPaid', undefined],
          [
            'warn',
            'script.handler_unheard',
            'svc.gate.bike-order.checkPait',
            'svc.gate.bike-order.checkPaid',
          ],
        ])
    })

    it('nothing is told of scripts and plugins that handle what there is', async () => {
      const { server, scripts, warned } = await start(HEALTHY)
      await server.submit(gate('checkPaid'))
      await settled()
      scripts.write(HEALTHY.replaceAll(HEARS_ALL, ''), 'gate.js')
      await settled()
      expect(warned()).toEqual([])
    })

    it('nothing is told where there are no scripts', async () => {
      const server = await startTestKernel({ store, definition: gate('checkPaid') })
      onTestFinished(() => server.stop())
      await settled()
      expect(server.log.filter(({ event }) => event.startsWith('script.'))).toEqual([])
    })
  })
}
