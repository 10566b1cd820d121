/**
 * The script that starts Swagger UI on the console page. The script derives the URLs of the OpenAPI
 * document and of the service from the page's own URL. Requests therefore go to the host that
 * serves the page, even behind a proxy.
 */
export const consoleScript = `'use strict'
const place = document.getElementById('console')
const at = (path) => new URL(place.dataset.folder + path, location.href).href.replace(/\\/$/, '')
const tokenHeader = 'x-authorization-token'

// Without this setting, Swagger UI handles clicks on links to anchors itself. The link that skips
// the navigation would then not move the focus.
window.noZensmooth = true
// Credentials are UTF-8 (RFC 7617 2.1). Swagger UI encodes them with \`btoa\`, which supports only
// Latin-1.
const { btoa } = window
window.btoa = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)))
const loaded = new Promise((resolve) => addEventListener('DOMContentLoaded', resolve))

// The page follows the color scheme of the browser, as the other pages do.
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

/** The name of the parameter to which a form field belongs. */
const parameter = (element) => element.closest('tr')?.dataset.paramName ?? 'Value'
/**
 * Attributes that Swagger UI lacks for screen readers and keyboards (WCAG 1.3.1, 2.1.1, 2.4.6,
 * 4.1.2). Each entry has a selector, an attribute, and its value or a function that returns the
 * value for an element.
 */
const missing = [
  ['h1', 'aria-level', '2'],
  ['h6', 'aria-level', '5'],
  ['.information-container, .scheme-container, .filter-container', 'role', 'region'],
  ['.information-container', 'aria-label', 'About'],
  ['.scheme-container', 'aria-label', 'Server and authorization'],
  ['.filter-container', 'aria-label', 'Filter'],
  ['.modal-ux', 'role', 'dialog'],
  ['.modal-ux', 'aria-label', 'Authorizations'],
  ['#servers', 'aria-label', 'Server'],
  ['.body-param__text', 'aria-label', 'Request body'],
  ['.examples-select-element', 'aria-label', 'Example'],
  ['.parameters select:not(.examples-select-element)', 'aria-label', parameter],
  ['.responses-table[role]', 'aria-label', ({ id }) => id.replaceAll('_', ' ')],
  ['.close-modal', 'aria-label', 'Close'],
  ['pre.microlight', 'tabindex', '0'],
]
let due = false
const complete = () => {
  due = false
  place.querySelector('.modal-ux:not([role]) input')?.focus()
  for (const [selector, name, value] of missing) {
    for (const element of place.querySelectorAll(':is(' + selector + '):not([' + name + '])')) {
      element.setAttribute(name, typeof value === 'string' ? value : value(element))
    }
  }
  // The accessible name of these buttons must be their visible text.
  for (const button of place.querySelectorAll('.auth-btn-wrapper [aria-label]')) button.removeAttribute('aria-label')
}
const soon = () => {
  if (!due) requestAnimationFrame(complete)
  due = true
}
new MutationObserver(soon).observe(place, { childList: true, subtree: true })
addEventListener('keydown', ({ key }) => key === 'Escape' && place.querySelector('.close-modal')?.click())

/**
 * Replaces the servers in the document with this host. The document may name another host, but the
 * Content-Security-Policy allows requests only to this host.
 */
function served(openapi) {
  openapi.servers = [{ url: at('..') }]
  const login = openapi.paths['/login']
  if (login !== undefined && login.servers !== undefined) login.servers = [{ url: at('../..') }]
  return openapi
}

/** The name of the security scheme that takes the token of a login. */
const tokenScheme = ({ components: { securitySchemes = {} } = {} }) =>
  Object.keys(securitySchemes).find((name) => {
    const scheme = securitySchemes[name]
    return scheme.type === 'apiKey' && scheme.in === 'header' && scheme.name.toLowerCase() === tokenHeader
  })

/**
 * Changes Markdown so that HTML is shown as text and images become links, as on the other pages.
 * Swagger UI removes only dangerous HTML. The Content-Security-Policy would block the styles and
 * images in the remaining HTML.
 */
const plain = (markdown) =>
  String(markdown ?? '').replace(/(\`+)[^]*?\\1|<|!\\[/g, (found) => (found === '<' ? '&lt;' : found === '![' ? '\\\\![' : found))
const withoutHtml = () => ({
  wrapComponents: {
    Markdown: (Original, { React }) => (props) => React.createElement(Original, { ...props, source: plain(props.source) }),
  },
})

function start(openapi) {
  const scheme = tokenScheme(openapi)
  const ui = SwaggerUIBundle({
    spec: served(openapi),
    domNode: place,
    plugins: [withoutHtml],
    docExpansion: Object.keys(openapi.paths).length > 60 ? 'none' : 'list',
    defaultModelsExpandDepth: -1,
    filter: true,
    tryItOutEnabled: true,
    validatorUrl: null,
    queryConfigEnabled: false,
    persistAuthorization: false,
    responseInterceptor(response) {
      const token = response.headers?.[tokenHeader]
      if (token !== undefined && scheme !== undefined) ui.preauthorizeApiKey(scheme, token)
      return response
    },
  })
}

async function load() {
  const response = await fetch(at('../openapi'), { headers: { accept: 'application/json' } })
  if (!response.ok) throw new Error('the status is ' + response.status)
  // Swagger UI has no input field for the format int64, and logs a warning for each such parameter.
  const openapi = JSON.parse(await response.text(), (name, value) => (name === 'format' && value === 'int64' ? undefined : value))
  await loaded
  return openapi
}

place.textContent = 'Loading the OpenAPI document.'
load().then(start, (error) => {
  place.textContent = 'The OpenAPI document could not be loaded: ' + error.message + '.'
  place.setAttribute('role', 'alert')
})
`
