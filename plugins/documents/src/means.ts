import type { Automation } from '@svc/automation/contract'
import type { Domains, Model } from '@svc/domain/contract'
import type { Files } from '@svc/files/contract'
import type { JobKind, Jobs } from '@svc/jobs/contract'
import type { Context } from '@svc/kernel'
import type { Media } from '@svc/media/contract'
import type { Notifications } from '@svc/notifications/contract'
import type { Render } from '@svc/render/contract'
import type { Store } from '@svc/store/contract'
import type { Template } from './compile/template.ts'
import type { KeptRegister } from './kept/kept.ts'
import type { OpenDomain } from './open-domain.ts'
import type { Generating } from './promises/generating.ts'

/** What all domains of a server work with. */
export interface Means extends DocumentsContext {
  /** Ids in the order in which they are asked for. */
  readonly newId: () => string
  /** The domains in force on this server, by name. */
  readonly open: Map<string, OpenDomain>
  /** The work of generating what was promised. */
  readonly generating: () => JobKind<Generating>
  /** What other plugins make documents of. */
  readonly kept: KeptRegister
  /** Takes note of the templates of a model, for whoever names them. */
  readonly note: (model: Model, templates: ReadonlyMap<string, Template>) => void
}

export interface DocumentsContext extends Context {
  readonly store: Store
  readonly domains: Domains
  readonly files: Files
  readonly media: Media
  readonly render: Render
  readonly jobs: Jobs
  readonly automation: Automation
  readonly notifications: Notifications
}
