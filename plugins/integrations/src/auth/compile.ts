import type { Path, Site } from '@svc/domain/contract'
import type { AuthDefinition } from './definition.ts'
import { apiKey } from './api-key.ts'
import type { Auth, AuthParts } from './auth.ts'
import { awsSigv4 } from './aws-sigv4.ts'
import { basic } from './basic.ts'
import { bearer } from './bearer.ts'
import { hmacSignature } from './hmac-signature.ts'
import { ipWhitelist } from './ip-whitelist.ts'
import { authorizationCode } from './oauth/authorization-code.ts'
import { clientCredentials } from './oauth/client-credentials.ts'
import { mtls } from './mtls.ts'

/** Compiles the `auth` of an integration; undefined where something is wrong, which is reported. */
export function compileAuth(
  written: AuthDefinition | readonly AuthDefinition[] | undefined,
  path: Path,
  site: Site,
  parts: AuthParts,
): readonly Auth[] | undefined {
  if (written === undefined) return []
  const isList = Array.isArray(written)
  const listed: readonly AuthDefinition[] = isList ? written : [written]
  const all = listed.flatMap((one, at) => compileOne(one, isList ? [...path, at] : path, site, parts) ?? [])
  const seen = new Set<string>()
  for (const [at, { headers }] of all.entries())
    for (const name of headers.map((one) => one.toLowerCase())) {
      if (seen.has(name))
        site.problem(
          isList ? [...path, at] : path,
          `two ways of 'auth' set the header '${name}'`,
          'Let each set a header of its own',
        )
      seen.add(name)
    }
  return all.length < listed.length ? undefined : all
}

function compileOne(written: AuthDefinition, path: Path, site: Site, parts: AuthParts): Auth | undefined {
  switch (written.type) {
    case 'api_key':
      return apiKey.compile(written, path, site, parts)
    case 'bearer':
      return bearer.compile(written, path, site, parts)
    case 'basic':
      return basic.compile(written, path, site, parts)
    case 'hmac_signature':
      return hmacSignature.compile(written, path, site, parts)
    case 'mtls':
      return mtls.compile(written, path, site, parts)
    case 'ip_whitelist':
      return ipWhitelist.compile(written, path, site, parts)
    case 'aws_sigv4':
      return awsSigv4.compile(written, path, site, parts)
    case 'oauth2_client_credentials':
      return clientCredentials.compile(written, path, site, parts)
    case 'oauth2_authorization_code':
      return authorizationCode.compile(written, path, site, parts)
  }
}
