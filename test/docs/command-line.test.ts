import { join } from 'node:path'
import { COMMANDS } from '@svc/server'
import { expect, it } from 'vitest'

// The page is made of the commands themselves. Renew it with `vitest run test/docs -u`.

const PAGE = join(import.meta.dirname, '../../docs/command-line.md')

it('docs/command-line.md tells every command and option', async () => {
  await expect(page()).toMatchFileSnapshot(PAGE)
})

type Command = (typeof COMMANDS)[number]

const page = (): string => `# The command line

\`svc <command> --help\` prints what stands here. From a checkout, \`node apps/server/dist/main.js\` is \`svc\`.

| Exit code | Meaning |
| --- | --- |
| 0 | done; of the server: stopped as it was told to |
| 1 | failed: one line on standard error says which part, why, and what to do |
| 2 | wrong usage |

${COMMANDS.map(section).join('\n\n')}

${BESIDE}`

const section = (command: Command): string => `## ${title(command)}

${capitalized(command.summary)}.

\`\`\`text
${command.usage.map((rest) => ['svc', ...command.words, rest].join(' ').trimEnd()).join('\n')}
\`\`\`

${command.about}${options(command)}`

const title = ({ words }: Command): string =>
  words.length === 0 ? 'The server' : `\`svc ${words.join(' ')}\``

const capitalized = (text: string): string => `${text[0]!.toUpperCase()}${text.slice(1)}`

function options({ options }: Command): string {
  const rows = Object.entries(options).map(
    ([name, { takes, about }]) => `| \`--${name}${takes === undefined ? '' : ` ${takes}`}\` | ${about} |`,
  )
  return rows.length === 0 ? '' : `\n\n| Option | Meaning |\n| --- | --- |\n${rows.join('\n')}`
}

const BESIDE = `## Variables

\`\${VAR}\` in a configuration stands for a variable of the environment, or else of a file \`.env\` beside the configuration, which the
server and every command on that configuration read; in a definition too. \`svc init\` keeps the secret there, with mode 0600 and outside of the repository.

## The management socket

A Unix socket with mode 0600: whoever may write to it owns the process. It stands at \`management.socket\`; unless said, as \`svc.sock\`
beside the SQLite file, or beside the configuration on PostgreSQL. A path that nobody chose never ends a start: where it is too long
(107 bytes; 103 outside of Linux) or taken by another server, a warning says so and the server goes on without. One that the
configuration names has to work.

It takes one JSON object a line, of at most 64 KiB, and answers one line each: \`{"ok":true,"data":…}\`, or \`{"ok":false,"error":…}\` with
\`errors\` and \`data\` where a refusal has more to say.

| Line | What it does |
| --- | --- |
| \`{"cmd":"status"}\` | version, uptime in seconds, memory in bytes, and how much is loaded |
| \`{"cmd":"plugins"}\` | the plugins and their states |
| \`{"cmd":"actions"}\` | the actions, who may run them and at which routes |
| \`{"cmd":"apply","file":"/path/domain.yaml"}\` | applies a definition file, which the server reads together with what it includes; \`allow_destructive\` accepts losses |
| \`{"cmd":"preview","file":"/path/domain.yaml"}\` | tells what that would change, and changes nothing |
| \`{"cmd":"keys_status"}\` | the keys of each domain that encrypts fields, by number and time, and how many records are under an older one |
| \`{"cmd":"privacy_scrub"}\` | has the tables of all domains with \`privacy\` rewritten, so that nothing of who was erased is left in the files |
| \`{"cmd":"shutdown"}\` | stops the process as SIGTERM does |

Files are named, not sent: definitions may be larger than a line, and what they include stands beside them. Plugins add commands of
their own by \`ManagementCapability\` of \`@svc/management/contract\`.
`
