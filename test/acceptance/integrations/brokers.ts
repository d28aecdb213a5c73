/** Where the brokers of tests are: what the environment says, or what listens on this machine. */
export const AMQP_URL = process.env['TEST_AMQP_URL'] ?? 'amqp://guest:guest@127.0.0.1:5672'
export const MQTT_URL = process.env['TEST_MQTT_URL'] ?? 'mqtt://127.0.0.1:1883'

/** The host and port of a url, as `outbound.allow_private` takes it. */
export const placeOf = (url: string): string => new URL(url).hostname
