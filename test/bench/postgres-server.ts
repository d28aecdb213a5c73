import { type Cluster, startCluster } from '../kit/cluster.ts'

/** Both servers' tables fit into the buffers; everything else, durability above all, is as it comes. */
const OPTIONS = { settings: ['shared_buffers=512MB'] }

/** The server that TEST_PG_URL names, else one of its own. Throws where no PostgreSQL is installed. */
export async function startPostgres(): Promise<Cluster> {
  const named = process.env['TEST_PG_URL']
  if (named !== undefined) return { url: named, stop: async () => undefined }
  const cluster = await startCluster(OPTIONS)
  if (cluster === undefined) throw new Error('no PostgreSQL starts here: install it, or set TEST_PG_URL')
  return cluster
}
