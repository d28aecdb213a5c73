import { askServer } from '@svc/management/contract'
import { readConfiguration, USUAL_CONFIG } from '../configuration.ts'
import type { Command } from './command.ts'
import { RUNNING_CONFIG, socketOf } from './server-socket.ts'

/** Has the tables rewritten in which erased values may have left bytes, by the management socket. */
export const privacyScrub: Command = {
  words: ['privacy', 'scrub'],
  usage: ['[--config <config.json>]'],
  summary: 'rewrite the tables from which people were erased',
  about: `Asks the server by its management socket to rewrite the tables of all domains that declare 'privacy', at once and one after the
other, so that the files of the database have nothing left of what was erased. On PostgreSQL that is VACUUM FULL, which keeps everybody
from a table until it is rewritten and needs room for a copy of it; on SQLite writes wait. It goes on by itself: 'privacy.scrubbed' in the
server's log says when a domain is done, and 'scrubbedAt' in the log of personal data.`,
  options: { config: RUNNING_CONFIG },
  async run({ options }, terminal) {
    const configuration = readConfiguration(options.get('config') ?? USUAL_CONFIG, process.env)
    const answer = await askServer(socketOf(configuration), { cmd: 'privacy_scrub' })
    if (!answer.ok) {
      terminal.err(`${answer.error}\n`)
      return 1
    }
    const domains = answer.data as readonly string[]
    terminal.out(
      domains.length === 0
        ? "No domain declares 'privacy'\n"
        : `The tables of ${domains.map((name) => `'${name}'`).join(', ')} are being rewritten\n`,
    )
    return 0
  },
}
