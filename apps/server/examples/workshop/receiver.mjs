// The other side of the workshop's courier: prints what it is sent, and whether that is signed by SVC_DOMAIN_COURIER_SECRET.
// FAIL=3 refuses the first three requests.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const port = Number(process.argv[2] ?? 4567)
const secret = process.env.SVC_DOMAIN_COURIER_SECRET ?? ''
let failing = Number(process.env.FAIL ?? 0)

const isSigned = (body, given = '') => {
  const wanted = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  const got = Buffer.from(given)
  return got.length === wanted.length && timingSafeEqual(got, wanted)
}

createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks)
    const { 'x-signature': signature, 'idempotency-key': key } = request.headers
    const status = !isSigned(body, signature) ? 401 : failing-- > 0 ? 503 : 202
    process.stdout.write(`${status} ${request.method} ${request.url} ${key ?? ''} ${body}\n`)
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ key: key ?? null }))
  })
}).listen(port, '127.0.0.1', () => process.stdout.write(`Listening on http://127.0.0.1:${port}\n`))
