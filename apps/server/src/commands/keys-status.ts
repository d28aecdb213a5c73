import { askServer } from '@svc/management/contract'
import { readConfiguration, USUAL_CONFIG } from '../configuration.ts'
import type { Command } from './command.ts'
import { RUNNING_CONFIG, socketOf } from './server-socket.ts'

/** What the server tells of the keys of a domain. */
interface Status {
  readonly domain: string
  readonly configured: string | null
  readonly wrappedBy: readonly string[]
  readonly present: number | null
  readonly keys: readonly {
    readonly number: number
    readonly createdAt: string
    readonly activeFrom: string
  }[]
  readonly olderRecords: number | null
}

/** Tells how far the keys of encrypted fields are, by the management socket. */
export const keysStatus: Command = {
  words: ['keys', 'status'],
  usage: ['[--config <config.json>]'],
  summary: 'tell which keys encrypted fields have, and how far their change is',
  about: `Asks the server by its management socket. For each domain: the key of the configuration that wraps the data keys, the data keys
with their times, and how many records are still encrypted under an older one. No key is told.`,
  options: { config: RUNNING_CONFIG },
  async run({ options }, terminal) {
    const configuration = readConfiguration(options.get('config') ?? USUAL_CONFIG, process.env)
    const answer = await askServer(socketOf(configuration), { cmd: 'keys_status' })
    if (!answer.ok) {
      terminal.err(`${answer.error}\n`)
      return 1
    }
    const domains = answer.data as readonly Status[]
    terminal.out(domains.length === 0 ? 'No domain encrypts anything\n' : domains.map(textOf).join(''))
    return 0
  },
}

function textOf({ domain, configured, wrappedBy, present, keys, olderRecords }: Status): string {
  const wrapping = `wrapped by ${wrappedBy.map((id) => `'${id}'`).join(', ')}`
  const next = configured === null || wrappedBy.every((id) => id === configured)
  const lines = keys.map(({ number, createdAt, activeFrom }) => {
    const use = number === present ? ', in use' : ''
    return `  data key ${number}, made ${createdAt}, used from ${activeFrom}${use}\n`
  })
  const left =
    olderRecords === null
      ? '  the domain encrypts nothing any more\n'
      : `  ${olderRecords} ${olderRecords === 1 ? 'record is' : 'records are'} encrypted under an older key\n`
  const start = next ? '' : `, and by '${configured}' from the next start on`
  return `${domain}: ${wrapping}${start}\n${lines.join('')}${left}`
}
