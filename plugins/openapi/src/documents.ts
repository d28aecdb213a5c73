import type { Domains } from '@svc/domain/contract'
import type { Actions, Logger, Release } from '@svc/kernel'
import { createAsset, type Asset } from '@svc/rest/contract'
import type { Document, Sources } from './document/document.ts'

/** What documents are made of, as it stands now. */
export interface DocumentsOptions {
  readonly actions: Actions
  readonly release: Release
  /** Absent where no domain engine is loaded. */
  readonly domains: Domains | undefined
  readonly log: Logger
}

/** The documents of this server: each is written when it is first asked for, and again after a change of the actions. */
export interface Documents {
  service(): Promise<Asset>
  /** The document of one domain; undefined where there is none of this name. */
  domain(name: string): Promise<Asset | undefined>
  /** Names of the domains that have a document. */
  domains(): readonly string[]
}

/** Keeps documents as text for as long as the actions stay as they are. */
export function createDocuments({ actions, release, domains, log }: DocumentsOptions): Documents {
  const written = new Map<string, Promise<Asset>>()
  actions.onChange(() => written.clear())

  const models = () => domains?.described() ?? []
  const sources = (): Sources => ({
    release,
    actions: actions.list().filter(({ enabled }) => enabled?.() !== false),
    models: models(),
    log,
  })
  const kept = (key: string, build: (writing: Writing) => Document): Promise<Asset> => {
    const known = written.get(key)
    if (known) return known
    const asset = writing().then((how) => createAsset('application/json', JSON.stringify(build(how))))
    written.set(key, asset)
    // What failed is tried again by whoever asks next.
    asset.catch(() => written.get(key) === asset && written.delete(key))
    return asset
  }

  return {
    domains: () => models().map(({ name }) => name),
    service: () => kept('', ({ serviceDocument }) => serviceDocument(sources())),
    async domain(name) {
      const found = models().find((model) => model.name === name.toLowerCase())
      return found && kept(found.name, ({ domainDocument }) => domainDocument(sources(), found))
    },
  }
}

/** What writes documents: few servers are ever asked for one. */
const writing = () => import('./document/document.ts')
type Writing = Awaited<ReturnType<typeof writing>>
