import { z } from 'zod'
import { isAddressRange } from './client-address.ts'

const milliseconds = (preset: number) => z.int().min(1).max(3_600_000).default(preset)
const port = z.int().min(0).max(65_535)

const origin = z
  .string()
  .regex(
    /^(?:\*|[a-z][a-z0-9+.-]*:\/\/[^/\s]+)$/i,
    "is no origin: write '*', or scheme, host and port without a path, such as 'https://app.example'",
  )

const tls = z.strictObject({
  cert_file: z.string().min(1).describe('The certificate chain, as a PEM file'),
  key_file: z.string().min(1).describe("The certificate's private key, as a PEM file"),
  redirect_http: z.boolean().default(false).describe('Listen for plain HTTP too, and send it to HTTPS'),
  redirect_http_port: port.default(8080).describe('The port of that second listener'),
})

/** The section `rest`. */
export const RestConfig = z
  .strictObject({
    host: z.string().min(1).default('127.0.0.1').describe('The address to listen on'),
    port: port.default(8080).describe('The port to listen on; 0 takes any free one'),
    tls: tls.optional().describe('Serve HTTPS in place of HTTP'),
    cors: z
      .strictObject({
        origins: z
          .union([origin, z.array(origin)])
          .default('*')
          .describe('The origins whose pages may call this server; * is every origin'),
      })
      .prefault({})
      .describe('Cross-origin requests'),
    security: z
      .strictObject({
        hsts_max_age: z
          .int()
          .min(0)
          .default(0)
          .describe('Seconds for which browsers keep to HTTPS; sent over TLS only, and 0 sends nothing'),
        x_frame_options: z
          .enum(['DENY', 'SAMEORIGIN'])
          .default('DENY')
          .describe('Who may show answers inside a frame'),
      })
      .prefault({})
      .describe('Headers that protect browsers'),
    body_limit_bytes: z.int().min(1).default(1_048_576).describe('The largest body that is read'),
    trusted_proxies: z
      .array(
        z
          .string()
          .refine(isAddressRange, "is neither an address nor a range such as '10.0.0.0/8' or 'fd00::/8'"),
      )
      .default([])
      .describe('Addresses and ranges of the proxies whose X-Forwarded-For is believed'),
    request_timeout_ms: milliseconds(30_000).describe(
      'How long an answer may take, from the end of the request; then it is 503',
    ),
    headers_timeout_ms: milliseconds(10_000).describe(
      "How long a client may take to send a request's headers",
    ),
    body_timeout_ms: milliseconds(30_000).describe("How long a client may take to send a request's body"),
    keep_alive_timeout_ms: milliseconds(5_000).describe(
      'How long a connection may rest between two requests',
    ),
    drain_timeout_ms: milliseconds(10_000).describe(
      'How long requests in flight may take once the server stops',
    ),
    max_unsent_bytes: z
      .int()
      .min(1)
      .default(134_217_728)
      .describe(
        'How much of all answers may wait for clients that do not read: beyond it the slowest of these are cut off, then requests are 503',
      ),
    max_connections: z.int().min(1).default(5_000).describe('Further connections are closed at once'),
  })
  .refine(
    ({ port: own, tls: secured }) =>
      !secured?.redirect_http || own !== secured.redirect_http_port || own === 0,
    { path: ['tls', 'redirect_http_port'], message: "must differ from 'rest.port'" },
  )
export type RestConfig = z.output<typeof RestConfig>
