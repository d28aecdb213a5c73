/**
 * Starts the page. The address of the document stands in the page itself, so that no script is written anew for
 * each server; nothing is fetched from, or sent to, any other address.
 *
 * A list has ten filters for each of its fields. The page shows the plain one of each, which would be lost among
 * the others; the introduction tells of the operators, and the document names every one. The document is read here
 * and handed over as an object: Swagger UI would read its text as YAML. What is opened is resolved with what it refers
 * to alone: Swagger UI would go through the whole document, at the start and again for each operation, which takes
 * seconds where it is large.
 *
 * The token is kept for this tab and until it is closed: a reload does not ask for it again, and no other page of
 * this address finds it afterwards.
 */
export const INIT_SCRIPT = `'use strict'
window.addEventListener('load', () => {
  const TOKEN = 'svc.docs.token'
  const SCHEME = 'bearerAuth'
  const root = document.getElementById('swagger-ui')

  const isOperator = ({ $ref = '' }) => /\\.filter\\.[^.]+\\.[^.]+$/.test($ref)
  const withoutOperators = (spec) => {
    for (const path of Object.values(spec.paths))
      for (const operation of Object.values(path))
        if (operation.parameters)
          operation.parameters = operation.parameters.filter((parameter) => !isOperator(parameter))
    const shared = spec.components.parameters || {}
    for (const name of Object.keys(shared)) if (isOperator({ $ref: name })) delete shared[name]
    return spec
  }

  const referred = (part, found) => {
    if (typeof part !== 'object' || part === null) return
    if (typeof part.$ref === 'string') found.add(part.$ref)
    for (const value of Object.values(part)) referred(value, found)
  }
  /** The document with what stands at a path, and what that refers to, alone. */
  const within = (spec, path) => {
    const part = { ...spec, paths: {}, components: {} }
    const found = new Set(['#/' + path.map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')])
    for (const pointer of found) {
      const steps = pointer.slice(2).split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
      let from = spec
      let to = part
      for (const [at, step] of steps.entries()) {
        if (from[step] === undefined) break
        if (at === steps.length - 1) to[step] = from[step]
        else to = to[step] ??= {}
        from = from[step]
      }
      referred(from, found)
    }
    return part
  }
  const resolvingParts = () => ({
    afterLoad(system) {
      const whole = system.fn.resolveSubtree
      system.fn.resolveSubtree = (spec, path, options) => whole(within(spec, path), path, options)
    },
  })

  const keeping = () => ({
    statePlugins: {
      auth: {
        wrapActions: {
          authorize: (go) => (given) => {
            if (given[SCHEME]) sessionStorage.setItem(TOKEN, given[SCHEME].value)
            return go(given)
          },
          logout: (go) => (names) => {
            sessionStorage.removeItem(TOKEN)
            return go(names)
          },
        },
      },
    },
  })
  const withToken = (ui) => {
    const token = sessionStorage.getItem(TOKEN)
    if (token) ui.preauthorizeApiKey(SCHEME, token)
  }

  const show = (spec) => {
    window.ui = SwaggerUIBundle({
      spec: withoutOperators(spec),
      dom_id: '#swagger-ui',
      plugins: [resolvingParts, keeping],
      deepLinking: true,
      docExpansion: 'none',
      filter: true,
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
      tryItOutEnabled: true,
      validatorUrl: null,
      onComplete: () => withToken(window.ui),
    })
  }

  const read = async () => {
    const answer = await fetch(root.dataset.document)
    if (!answer.ok) throw new Error('The document could not be read: status ' + answer.status)
    return answer.json()
  }
  const tell = (error) => {
    root.textContent = String(error)
  }

  const choice = document.getElementById('select')
  choice.addEventListener('change', () => choice.form.requestSubmit())
  read().then(show).catch(tell)
})
`
