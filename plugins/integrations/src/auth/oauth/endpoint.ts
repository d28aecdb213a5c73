import type { Path, Secret, Site } from '@svc/domain/contract'
import { isUrl, type Outbound, OutboundError } from '@svc/outbound/contract'
import {
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type AuthorizationServer,
  type Client,
  type ClientAuth,
  clientCredentialsGrantRequest,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  None,
  processAuthorizationCodeResponse,
  processClientCredentialsResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  ResponseBodyError,
  revocationRequest,
  type TokenEndpointResponse,
  validateAuthResponse,
} from 'oauth4webapi'
import { failureOf } from '../../wire/outbound-failure.ts'
import { NotAuthorized } from '../failed.ts'
import { revealed } from '../secret.ts'
import type { OauthDefinition } from './definition.ts'

/** How long a token counts whose answer does not say it, and how long before its end it is left, in seconds. */
const UNSAID_SECONDS = 300
const MARGIN_SECONDS = 60
/** The most bytes that an answer with tokens may have. */
const MOST_BYTES = 65_536

/** Tokens as they are kept. */
export interface Tokens {
  readonly access: string
  readonly refresh: string | undefined
  readonly scopes: string | undefined
  /** Until when they are used, in milliseconds since 1970. */
  readonly until: number
}

/** How one request to the other side is made. */
export interface Asking {
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** The refresh token is of no use any more. */
export class Disconnected extends Error {}

/** An authorization server, as far as its definition names it (RFC 6749). */
export class Endpoint {
  readonly #server: AuthorizationServer
  readonly #client: Client
  readonly #written: OauthDefinition
  readonly #secret: Secret | undefined
  readonly #outbound: Outbound
  readonly #now: () => number

  constructor(
    written: OauthDefinition & { readonly revocationUrl?: string | undefined },
    secret: Secret | undefined,
    { outbound, now }: { readonly outbound: Outbound; readonly now: () => number },
  ) {
    const { tokenUrl, revocationUrl, clientId } = written
    this.#server = {
      issuer: new URL(tokenUrl).origin,
      token_endpoint: tokenUrl,
      ...(revocationUrl !== undefined && { revocation_endpoint: revocationUrl }),
    }
    this.#client = { client_id: clientId }
    this.#written = written
    this.#secret = secret
    this.#outbound = outbound
    this.#now = now
  }

  /** RFC 6749, section 4.4. Throws NotAuthorized, and CONFLICT where the secret is not configured. */
  byCredentials(asking: Asking): Promise<Tokens> {
    const { scope, params, audience } = this.#asked
    const parameters = { ...params, ...scope, ...audience }
    return this.#exchange(
      (options) => clientCredentialsGrantRequest(this.#server, this.#client, this.#auth, parameters, options),
      (answer) => processClientCredentialsResponse(this.#server, this.#client, answer),
      asking,
    )
  }

  /** RFC 6749, section 4.1.3, with RFC 7636. */
  byCode(
    {
      code,
      verifier,
      redirectUri,
    }: { readonly code: string; readonly verifier: string; readonly redirectUri: string },
    asking: Asking,
  ): Promise<Tokens> {
    const state = 'state'
    const given = validateAuthResponse(
      this.#server,
      this.#client,
      new URLSearchParams({ code, state }),
      state,
    )
    const { params: additionalParameters } = this.#asked
    return this.#exchange(
      (options) =>
        authorizationCodeGrantRequest(this.#server, this.#client, this.#auth, given, redirectUri, verifier, {
          ...options,
          additionalParameters,
        }),
      (answer) => processAuthorizationCodeResponse(this.#server, this.#client, answer),
      asking,
    )
  }

  /** RFC 6749, section 6. Throws Disconnected for `invalid_grant`. */
  async byRefresh(refresh: string, asking: Asking): Promise<Tokens> {
    const { params: additionalParameters } = this.#asked
    const fresh = await this.#exchange(
      (options) =>
        refreshTokenGrantRequest(this.#server, this.#client, this.#auth, refresh, {
          ...options,
          additionalParameters,
        }),
      (answer) => processRefreshTokenResponse(this.#server, this.#client, answer),
      asking,
    )
    return { ...fresh, refresh: fresh.refresh ?? refresh }
  }

  /** RFC 7009: what the other side makes of it changes nothing here. */
  async revoke(token: string, asking: Asking): Promise<void> {
    if (this.#server.revocation_endpoint === undefined) return
    await revocationRequest(this.#server, this.#client, this.#auth, token, optionsOf(asking, this.#outbound))
  }

  get #asked() {
    const { scopes, audience, params = {} } = this.#written
    const scope = scopes === undefined ? {} : { scope: [scopes].flat().join(' ') }
    return { scope, params, audience: audience === undefined ? {} : { audience } }
  }

  get #auth(): ClientAuth {
    if (this.#secret === undefined) return None()
    const value = revealed(this.#secret)
    return this.#written.clientAuth === 'post' ? ClientSecretPost(value) : ClientSecretBasic(value)
  }

  async #exchange(
    ask: (options: Options) => Promise<Response>,
    read: (answer: Response) => Promise<TokenEndpointResponse>,
    asking: Asking,
  ): Promise<Tokens> {
    let status: number | undefined
    try {
      const answer = await ask(optionsOf(asking, this.#outbound))
      status = answer.status
      const told = await read(answer)
      const { access_token: access, refresh_token: refresh, scope: scopes, expires_in: seconds } = told
      const usable = seconds === undefined ? UNSAID_SECONDS : seconds - MARGIN_SECONDS
      return { access, refresh, scopes, until: this.#now() + usable * 1000 }
    } catch (error) {
      throw faultOf(error, status)
    }
  }
}

/** How the library sends: through the one client. */
const optionsOf = ({ signal, timeoutMs }: Asking, outbound: Outbound) => {
  return {
    signal,
    // Which addresses and which of them without TLS is the client's to judge.
    [allowInsecureRequests]: true,
    [customFetch]: async (
      url: string,
      { method, headers, body }: { method: string; headers: Record<string, string>; body?: unknown },
    ): Promise<Response> => {
      const answer = await outbound.request({
        url,
        method,
        credentials: headers,
        ...(body !== undefined && body !== null && { body: String(body) }),
        timeoutMs,
        maxBodyBytes: MOST_BYTES,
        signal,
      })
      const { status } = answer
      const hasBody = status !== 204 && status !== 304
      return new Response(hasBody ? Buffer.from(answer.body) : null, { status, headers: answer.headers })
    },
  }
}

type Options = ReturnType<typeof optionsOf>

function faultOf(error: unknown, status: number | undefined): unknown {
  if (error instanceof OutboundError) return new NotAuthorized(failureOf(error))
  if (error instanceof ResponseBodyError) {
    if (error.error === 'invalid_grant') return new Disconnected()
    const message = `no token was given: the other side answered ${status}, ${error.error.slice(0, 100)}`
    return new NotAuthorized({ kind: 'answer', message, mayHaveArrived: false })
  }
  if (status === undefined) return error
  const isTrouble = status >= 500 || status === 429
  const message = `no token was given: the other side answered ${status}${isTrouble ? '' : ', which is none'}`
  return new NotAuthorized({
    kind: isTrouble ? 'status' : 'answer',
    ...(isTrouble && { counts: status }),
    message,
    mayHaveArrived: false,
  })
}

/** Reports urls that nothing may be sent to; whether all are sound. */
export function checkUrls(
  written: Readonly<Partial<Record<'tokenUrl' | 'authorizationUrl' | 'revocationUrl', string | undefined>>>,
  path: Path,
  site: Site,
  outbound: Outbound,
): boolean {
  let isSound = true
  for (const name of ['tokenUrl', 'authorizationUrl', 'revocationUrl'] as const) {
    const url = written[name]
    if (url === undefined) continue
    // People go to the page where they consent: this server does not.
    const fault =
      name === 'authorizationUrl'
        ? isUrl(url) && /^https?:/.test(url) && !url.includes('#')
          ? undefined
          : { message: 'is no absolute url', hint: 'Write https:// and a host' }
        : outbound.judge(url, { isConfidential: true })
    if (fault === undefined) continue
    site.problem([...path, name], `the url ${fault.message}`, fault.hint)
    isSound = false
  }
  return isSound
}
