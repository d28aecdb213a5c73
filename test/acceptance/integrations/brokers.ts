import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where the brokers of tests are: what the environment says, or what listens on this machine. */
export const AMQP_URL = process.env['TEST_AMQP_URL'] ?? 'amqp://guest:guest@127.0.0.1:5672'
export const MQTT_URL = process.env['TEST_MQTT_URL'] ?? 'mqtt://127.0.0.1:1883'

/** The host and port of a url, as `outbound.allow_private` takes it. */
export const placeOf = (url: string): string => new URL(url).hostname

const fixture = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../plugins/rest/src/fixtures/${name}`, import.meta.url)), 'utf8')

/** The certificate of localhost, which signs itself, and its key. */
export const CERTIFICATE = fixture('localhost.cert.pem')
export const KEY = fixture('localhost.key.pem')

/** A broker that speaks TLS to those alone who show the certificate of localhost. */
export const TLS = { cert: CERTIFICATE, key: KEY, ca: CERTIFICATE, requestCert: true }

/** How a client last introduced itself over AMQP 0-9-1: by Tune-Ok and Open of class Connection. */
export function amqpTermsIn(said: Buffer) {
  const tuned = said.lastIndexOf(Buffer.from([0, 10, 0, 31]))
  const opened = said.lastIndexOf(Buffer.from([0, 10, 0, 40]))
  const vhost = said.subarray(opened + 5, opened + 5 + said[opened + 4]!).toString()
  return { heartbeat: said.readUInt16BE(tuned + 10), vhost }
}

/** How a client last introduced itself over MQTT 5: by CONNECT (section 3.1). */
export function mqttTermsIn(said: Buffer) {
  const at = said.lastIndexOf(Buffer.from([0, 4, ...Buffer.from('MQTT'), 5]))
  const flags = said[at + 7]!
  const properties = at + 11
  const payload = properties + said[at + 10]!
  const texts: string[] = []
  for (let from = payload; texts.length < 1 + (flags >> 7) + ((flags >> 6) & 1);) {
    const length = said.readUInt16BE(from)
    texts.push(said.subarray(from + 2, from + 2 + length).toString())
    from += 2 + length
  }
  const [clientId, username, password] = texts
  const isExpiring = payload > properties && said[properties] === 0x11
  const sessionExpiry = isExpiring ? said.readUInt32BE(properties + 1) : 0
  return { keepAlive: said.readUInt16BE(at + 8), clientId, username, password, sessionExpiry }
}
