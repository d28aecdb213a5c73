import { DomainsCapability } from '@svc/domain/contract'
import { definePlugin } from '@svc/kernel'
import { docs } from './actions/docs.ts'
import { domainDocument } from './actions/domain-document.ts'
import { front } from './actions/front.ts'
import { serviceDocument } from './actions/service-document.ts'
import { createDocuments } from './documents.ts'

/** OpenAPI documents of the server and of each domain, a page that shows them, and the server's first page. */
export const openapi = definePlugin({
  name: 'openapi',
  phase: 'domain',
  optional: { domains: DomainsCapability },
  setup({ actions, host, domains, log }) {
    const documents = createDocuments({ actions, release: host.release, domains, log })
    actions.add(
      serviceDocument(documents),
      domainDocument(documents),
      ...docs(documents),
      front(documents, host.release),
    )
  },
})
