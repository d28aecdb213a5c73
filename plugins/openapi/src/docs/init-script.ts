/**
 * Starts the page. The documents to choose from stand in the page itself, so that no script is written anew for
 * each server; nothing is fetched from, or sent to, any other address.
 *
 * A list has ten filters for each of its fields. The page shows the plain one of each, which would be lost among
 * the others; the introduction tells of the operators, and the document names every one.
 */
export const INIT_SCRIPT = `'use strict'
window.addEventListener('load', () => {
  const root = document.getElementById('swagger-ui')
  const documents = JSON.parse(root.dataset.documents)
  const isOperator = (name) => /\\.filter\\.[^.]+\\.[^.]+$/.test(name)

  const withoutOperators = (spec) => {
    const shared = (spec.components && spec.components.parameters) || {}
    for (const name of Object.keys(shared)) if (isOperator(name)) delete shared[name]
    for (const path of Object.values(spec.paths || {}))
      for (const operation of Object.values(path))
        if (operation.parameters)
          operation.parameters = operation.parameters.filter(({ $ref }) => !isOperator($ref || ''))
    return spec
  }
  const shorter = () => ({
    statePlugins: {
      spec: { wrapActions: { updateJsonSpec: (update) => (spec) => update(withoutOperators(spec)) } },
    },
  })

  window.ui = SwaggerUIBundle({
    urls: documents,
    dom_id: '#swagger-ui',
    presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
    plugins: [shorter],
    layout: 'StandaloneLayout',
    deepLinking: true,
    docExpansion: 'none',
    filter: true,
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    validatorUrl: null,
  })
})
`
