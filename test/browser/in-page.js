/**
 * Functions that the checks call inside the page. `page.evaluate` runs the text of this file, even
 * if the page has a strict content security policy. The functions are in a separate file because
 * the tests are compiled without the DOM types.
 */
globalThis.rig = (() => {
  /** Describes an element for messages: `<a href="#list"> Orders`. */
  const nameOf = (element) =>
    `${element.cloneNode(false).outerHTML.replace(/<\/[^>]*>$/, '')} ${element.textContent.trim().slice(0, 40)}`.trim()

  const isShown = (element) =>
    element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0

  const canTakeFocus =
    'a[href], button, input, select, textarea, summary, [tabindex], [contenteditable], iframe, audio[controls], video[controls]'

  /** A checked radio button is the only Tab stop of its group. */
  const isStop = (element) =>
    element.tabIndex >= 0 &&
    !element.disabled &&
    !element.closest('[inert]') &&
    (element.type !== 'radio' || element.checked || !radioChecked(element))
  const radioChecked = ({ name, form }) =>
    document.querySelector(`input[type=radio][name="${CSS.escape(name)}"]:checked`)?.form === form

  const stops = () =>
    [...document.querySelectorAll(canTakeFocus)].filter((element) => isStop(element) && isShown(element))

  /**
   * Returns the styles that can show the focus. The focus does not show if these styles are the
   * same with and without the focus.
   */
  const looks = (element) => {
    const {
      outlineStyle,
      outlineWidth,
      outlineColor,
      boxShadow,
      backgroundColor,
      borderColor,
      borderWidth,
      textDecorationLine,
    } = getComputedStyle(element)
    const outline =
      outlineStyle === 'none' || outlineWidth === '0px' ? 'none' : `${outlineStyle} ${outlineWidth} ${outlineColor}`
    return JSON.stringify([outline, boxShadow, backgroundColor, borderColor, borderWidth, textDecorationLine])
  }

  /** Ends transitions at once: until they end, an element has its previous style. */
  const finishTransitions = () => {
    for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish()
  }

  const seen = new Set()
  const before = new Map()

  return {
    /** Starts a walk with the Tab key. Returns the number of Tab stops. */
    startWalk() {
      document.activeElement?.blur()
      seen.clear()
      before.clear()
      finishTransitions()
      for (const element of stops()) before.set(element, looks(element))
      return before.size
    },
    /** The element with the focus, and its faults. */
    stop() {
      const element = document.activeElement
      if (element === null || element === document.body || element === document.documentElement)
        return { name: '', again: false, faults: [] }
      const again = seen.has(element)
      seen.add(element)
      finishTransitions()
      const { top, bottom, left, right } = element.getBoundingClientRect()
      const inside = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth
      return {
        name: nameOf(element),
        again,
        faults: [
          ...(before.get(element) === looks(element) ? [`The focus does not show: ${nameOf(element)}`] : []),
          ...(inside ? [] : [`The focus is outside of the window: ${nameOf(element)}`]),
        ],
      }
    },
    /** The Tab stops that the walk has not reached. */
    unreached: () =>
      stops()
        .filter((element) => !seen.has(element))
        .map(nameOf),
    /** Whether the focus is inside the target of the URL fragment, or after it. */
    focusIsBelowTarget() {
      const target = document.querySelector(':target')
      const element = document.activeElement
      if (target === null || element === null) return false
      return (
        target.contains(element) || Boolean(target.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING)
      )
    },
    /**
     * Text that is hidden even if all `<details>` are open. Text in a hidden form does not count: a
     * script shows such a form, and without JavaScript the form has no use.
     */
    unreadable() {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      const found = []
      while (walker.nextNode()) {
        const { data, parentElement: element } = walker.currentNode
        if (data.trim() === '' || element.closest('script, style, template, noscript, form[hidden]')) continue
        const closed = [...ancestors(element)].filter((one) => one.matches('details:not([open])'))
        for (const one of closed) one.open = true
        if (!isShown(element)) found.push(data.trim().slice(0, 60))
        for (const one of closed) one.open = false
      }
      return found
    },
    /**
     * Returns the difference in pixels and the overflowing elements if the page is wider than the
     * window.
     */
    overflow() {
      const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth
      if (wide <= 0) return []
      const out = [...document.body.querySelectorAll('*')].filter(
        (element) => element.getBoundingClientRect().right > innerWidth + 1 && !isInBox(element),
      )
      return [`The page is ${wide} pixels too wide: ${out.slice(0, 5).map(nameOf).join('; ')}`]
    },
  }

  /** True if an ancestor of the element scrolls or clips its content. */
  function isInBox({ parentElement }) {
    const boxes = [...ancestors(parentElement)].filter(
      (one) => one !== document.documentElement && one !== document.body,
    )
    return boxes.some((one) => getComputedStyle(one).overflowX !== 'visible')
  }

  function* ancestors(element) {
    for (let one = element; one !== null; one = one.parentElement) yield one
  }
})()
