// What plugin authors can and cannot write. The type check of the tests is the test: a line under
// `@ts-expect-error` that compiles is an error.
import { type Capability, capability, definePlugin, type Plugin } from '@svc/kernel'
import { z } from 'zod'

interface Clock {
  now(): number
}
interface Mailer {
  send(to: string): Promise<void>
}

const ClockCapability = capability<Clock>('clock')
const MailerCapability = capability<Mailer>('mailer')

export const consumer: Plugin = definePlugin({
  name: 'consumer',
  phase: 'domain',
  config: z.strictObject({ size: z.number().default(3), label: z.string().optional() }),
  requires: { clock: ClockCapability },
  optional: { mailer: MailerCapability },
  setup({ clock, mailer, config, log }) {
    const time: number = clock.now()
    const size: number = config.size
    const label: string | undefined = config.label
    log.info({ time, size, label }, 'consumer.ready')

    void mailer?.send('ann@example.org')
    // @ts-expect-error an optional service may be missing
    void mailer.send('ann@example.org')
    // @ts-expect-error the service has no such method
    clock.tomorrow()
    // @ts-expect-error the schema has no such key
    config.colour
    // @ts-expect-error what the schema makes is a number
    config.size.toUpperCase()
  },
})

export const unasked = definePlugin({
  name: 'unasked',
  phase: 'domain',
  // @ts-expect-error a service that was not asked for is not there
  setup({ clock }) {
    void clock
  },
})

export const unconfigured = definePlugin({
  name: 'unconfigured',
  phase: 'domain',
  setup({ config }) {
    const nothing: undefined = config
    void nothing
    // @ts-expect-error a plugin without a schema has no configuration
    config.size
  },
})

export const provider = definePlugin({
  name: 'provider',
  phase: 'store',
  provides: ClockCapability,
  setup: () => ({ now: () => 0 }),
})

export const patientProvider = definePlugin({
  name: 'patient-provider',
  phase: 'store',
  provides: ClockCapability,
  setup: async () => ({ now: () => 0 }),
})

export const wrongProvider = definePlugin({
  name: 'wrong-provider',
  phase: 'store',
  provides: ClockCapability,
  // @ts-expect-error what setup returns is no Clock
  setup: () => ({ now: () => 'noon' }),
})

export const forgetfulProvider = definePlugin({
  name: 'forgetful-provider',
  phase: 'store',
  provides: ClockCapability,
  // @ts-expect-error setup returns nothing, and promised a Clock
  setup: () => undefined,
})

export const unphased = definePlugin({
  name: 'unphased',
  // @ts-expect-error there is no such phase
  phase: 'later',
  setup: () => undefined,
})

export const mistaken = definePlugin({
  name: 'mistaken',
  phase: 'domain',
  // @ts-expect-error a requirement is a capability, not its name
  requires: { clock: 'clock' },
  setup: () => undefined,
})

// @ts-expect-error capabilities of different services are not interchangeable
export const confused: Capability<Clock> = MailerCapability
