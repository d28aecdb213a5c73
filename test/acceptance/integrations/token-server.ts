import { createHash, randomBytes } from 'node:crypto'
import { type Got, type Sink, type SinkAnswer, startSink } from '../../kit/sink.ts'

/** What a token server was asked, and how it answers. */
export interface TokenServer {
  readonly url: string
  /** The parameters of each request for tokens, with the credentials of the header as `basic`. */
  readonly asked: readonly Readonly<Record<string, string>>[]
  readonly revoked: readonly string[]
  /** What is answered in place of tokens. */
  instead: SinkAnswer | undefined
  /** What an answer waits for, which is settled by then; undefined: nothing. */
  wait: Promise<void> | undefined
  /** What `expires_in` says; undefined: nothing. */
  seconds: number | undefined
  /** Whether a refresh token counts once, and a second use of it ends the whole connection. */
  isRotating: boolean
  /** Whether a token counts. */
  knows(token: string): boolean
  /** Ends a token before its time. */
  end(token: string): void
  /** Somebody consents: the parameters that the browser brings back. */
  consent(authorizationUrl: string): URLSearchParams
  stop(): Promise<void>
}

/** Starts a server that gives tokens as RFC 6749 has it, with PKCE (RFC 7636) and refresh tokens that rotate. */
export async function startTokenServer(): Promise<TokenServer> {
  const asked: Record<string, string>[] = []
  const revoked: string[] = []
  const tokens = new Set<string>()
  const codes = new Map<string, { readonly challenge: string; readonly redirectUri: string }>()
  let refresh = ''
  const spent = new Set<string>()
  const fresh = (what: string) => `${what}-${randomBytes(12).toString('hex')}`

  const given = (withRefresh: boolean): SinkAnswer => {
    const token = fresh('access')
    tokens.add(token)
    if (withRefresh && server.isRotating) refresh = fresh('refresh')
    const body = {
      access_token: token,
      token_type: 'Bearer',
      ...(server.seconds !== undefined && { expires_in: server.seconds }),
      ...(withRefresh && { refresh_token: refresh, scope: 'read write' }),
    }
    return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  }
  const refusal = (error: string): SinkAnswer => ({
    status: 400,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ error }),
  })
  const answer = ({ path, headers, body }: Got): SinkAnswer => {
    const form = Object.fromEntries(new URLSearchParams(body))
    if (path === '/revoke') {
      revoked.push(form['token'] ?? '')
      return { status: 200 }
    }
    const basic = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1]
    asked.push({
      ...form,
      ...(basic && { basic: decodeURIComponent(Buffer.from(basic, 'base64').toString()) }),
    })
    if (server.instead !== undefined) return server.instead
    if (form['grant_type'] === 'client_credentials') return given(false)
    if (form['grant_type'] === 'refresh_token') {
      if (spent.has(form['refresh_token'] ?? '')) {
        // Somebody spends it twice: the whole family is over (RFC 9700, section 4.14.2).
        refresh = ''
        tokens.clear()
      }
      if (refresh === '' || form['refresh_token'] !== refresh) return refusal('invalid_grant')
      if (server.isRotating) spent.add(refresh)
      return given(true)
    }
    const code = codes.get(form['code'] ?? '')
    codes.delete(form['code'] ?? '')
    const challenge = createHash('sha256')
      .update(form['code_verifier'] ?? '')
      .digest('base64url')
    if (code?.challenge !== challenge || code.redirectUri !== form['redirect_uri'])
      return refusal('invalid_grant')
    refresh = fresh('refresh')
    return given(true)
  }
  const sink: Sink = await startSink(async (got) => {
    const settled = answer(got)
    await server.wait
    return settled
  })
  const server: TokenServer = {
    url: sink.url,
    asked,
    revoked,
    instead: undefined,
    wait: undefined,
    seconds: 3600,
    isRotating: true,
    knows: (token) => tokens.has(token),
    end: (token) => void tokens.delete(token),
    consent(authorizationUrl) {
      const asking = new URL(authorizationUrl).searchParams
      const code = fresh('code')
      codes.set(code, {
        challenge: asking.get('code_challenge') ?? '',
        redirectUri: asking.get('redirect_uri') ?? '',
      })
      return new URLSearchParams({ code, state: asking.get('state') ?? '' })
    },
    stop: () => sink.stop(),
  }
  return server
}
