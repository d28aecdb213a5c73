// What svc's files are compared with: a server of files on node:http, as somebody would write one by hand.
import { createReadStream, stat } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, normalize } from 'node:path'

const root = process.argv[2]!

const server = createServer((request, response) => {
  const path = join(root, normalize(new URL(request.url ?? '/', 'http://localhost').pathname))
  stat(path, (error, found) => {
    if (error !== null) return response.writeHead(404).end()
    response.writeHead(200, {
      'content-type': 'application/octet-stream',
      'content-length': found.size,
      'last-modified': found.mtime.toUTCString(),
    })
    return createReadStream(path).pipe(response)
  })
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
