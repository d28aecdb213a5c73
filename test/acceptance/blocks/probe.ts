import {
  type Data,
  DomainsCapability,
  type Part,
  type RecordInput,
  type ResourceBlock,
} from '@svc/domain/contract'
import { type Call, definePlugin, type Plugin } from '@svc/kernel'
import { z } from 'zod'

/** What a test does inside a block: as an operation that anybody may call. */
export type Probe = (data: Data, call: Call, input: RecordInput) => unknown

/** A block whose operation and steps a test writes anew for each case. */
export interface Probing {
  readonly plugin: Plugin
  /** What `POST /<resource>/probe` runs. */
  probe: Probe
  /** The steps and tables that the block adds to every resource that says `probe: {}`. */
  part: Pick<Part, 'prepare' | 'beforeWrite' | 'afterWrite' | 'narrow'>
}

/** Makes a plugin that owns the key `probe` of resources; `tables` are its own, by their resource's name. */
export function createProbing(tables: NonNullable<Part['tables']> = {}): Probing {
  const probing: Probing = {
    plugin: definePlugin({
      name: 'probe',
      phase: 'domain',
      requires: { domains: DomainsCapability },
      setup({ domains }) {
        const block: ResourceBlock<{ readonly tables: boolean; readonly narrow: boolean }> = {
          on: 'resource',
          key: 'probe',
          schema: z.strictObject({ tables: z.boolean().default(false), narrow: z.boolean().default(false) }),
          compile: (written) =>
            written && {
              ...(written.tables && { tables }),
              ...(written.narrow && {
                narrow: (...asked: Parameters<NonNullable<Part['narrow']>>) =>
                  probing.part.narrow?.(...asked),
              }),
              links: true,
              prepare: (change, fault) => probing.part.prepare?.(change, fault),
              beforeWrite: (change, writes) => probing.part.beforeWrite?.(change, writes),
              afterWrite: (change, writes) => probing.part.afterWrite?.(change, writes),
              operations: [
                {
                  name: 'probe',
                  summary: 'Run what the test says',
                  routes: { 'POST /probe': 'list' },
                  handle: (input, call, { data }) => probing.probe(data, call, input),
                },
              ],
            },
        }
        domains.block(block)
      },
    }),
    probe: () => null,
    part: {},
  }
  return probing
}
