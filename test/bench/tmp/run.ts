import { printProfile } from '../profile.ts'
import { createAdmin, createFolder, signIn, startServer, testConfig } from '../../kit/server-process.ts'
import { OPEN_DATABASES } from '../contest.ts'
import { measureAcross } from './short.ts'
const folder = createFolder()
const store = (process.argv[2] ?? 'sqlite') as 'sqlite' | 'postgres'
const databases = await OPEN_DATABASES[store](folder)
const config = folder.write(testConfig({ ...databases.config, rest: { port: 0, body_limit_bytes: 10 * 1024 ** 2 } }), 'x.json')
const password = await createAdmin(config)
const server = await startServer(config, { cwd: folder.path })
const token = await signIn(server.request, password)
try { await measureAcross(server, token) } finally { await server.stop(); await databases.close(); folder.remove() }
