/** The script of the search. Without this script, the pages have no search, but still work. */
export const searchAsset = `'use strict'
{
  const form = document.getElementById('docs:search')
  const field = document.getElementById('docs:words')
  const finds = document.getElementById('docs:finds')
  const count = document.getElementById('docs:count')
  const folder = form.dataset.folder
  const maxShown = 30
  let loading

  // The entries are a script, because the policy of the page does not allow fetch().
  const load = () => {
    loading ??= new Promise((resolve, reject) => {
      const script = document.createElement('script')
      script.src = folder + 'search-entries.js'
      script.onload = () => resolve(globalThis.docsEntries)
      script.onerror = () => {
        loading = undefined
        script.remove()
        reject(new Error('The search entries could not be loaded.'))
      }
      document.head.append(script)
    })
    return loading
  }

  const plain = (text) => text.normalize('NFD').replace(/\\p{M}/gu, '').toLowerCase()

  const show = (found, total) => {
    finds.replaceChildren(
      ...found.map(([title, address, words]) => {
        const item = document.createElement('li')
        const link = document.createElement('a')
        link.href = folder + address
        link.textContent = title
        const more = document.createElement('small')
        more.textContent = words
        item.append(link, ' ', more)
        return item
      }),
    )
    count.textContent = total === undefined ? '' : total === 0 ? 'Nothing found' : total > maxShown ? 'The first ' + maxShown + ' of ' + total : total + ' found'
  }

  const search = async () => {
    const asked = field.value
    const words = plain(asked).split(/\\s+/).filter((word) => word !== '')
    if (words.length === 0) return show([])
    try {
      const entries = await load()
      if (field.value !== asked) return
      const found = entries.filter(([title, , more]) => {
        const text = plain(title + ' ' + more)
        return words.every((word) => text.includes(word))
      })
      show(found.slice(0, maxShown), found.length)
    } catch {
      show([])
      count.textContent = 'The search is not available'
    }
  }

  form.hidden = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    finds.querySelector('a')?.click()
  })
  // Loads the entries before the first search, so that the search needs no request.
  addEventListener('load', () => void load().catch(() => {}))
  field.addEventListener('input', () => void search())
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && field.value !== '') {
      field.value = ''
      show([])
    }
  })
}
`
