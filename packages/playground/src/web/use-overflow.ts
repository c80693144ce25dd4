import { type RefObject, useLayoutEffect, useState } from 'react'

/** How much of a scrolling part is hidden: whether more exists than fits, and on which sides. */
export interface Overflow {
  rows: boolean
  columns: boolean
  below: boolean
  right: boolean
}

const NOTHING: Overflow = { rows: false, columns: false, below: false, right: false }
/** Sizes are rounded: less than this isn't hidden. */
const SLACK_PX = 2

function measure(part: HTMLElement): Overflow {
  const down = part.scrollHeight - part.clientHeight
  const across = part.scrollWidth - part.clientWidth
  return {
    rows: down > SLACK_PX,
    columns: across > SLACK_PX,
    below: down - part.scrollTop > SLACK_PX,
    right: across - part.scrollLeft > SLACK_PX,
  }
}

const isSame = (one: Overflow, other: Overflow): boolean =>
  one.rows === other.rows &&
  one.columns === other.columns &&
  one.below === other.below &&
  one.right === other.right

/** Measures again when the part or its content changes size, and when someone scrolls. */
export function useOverflow(ref: RefObject<HTMLElement | null>): Overflow {
  const [overflow, setOverflow] = useState(NOTHING)
  useLayoutEffect(() => {
    const part = ref.current
    if (!part) return
    const update = () => {
      const next = measure(part)
      setOverflow((before) => (isSame(before, next) ? before : next))
    }
    const observer = new ResizeObserver(update)
    observer.observe(part)
    if (part.firstElementChild) observer.observe(part.firstElementChild)
    part.addEventListener('scroll', update, { passive: true })
    return () => {
      observer.disconnect()
      part.removeEventListener('scroll', update)
    }
  }, [ref])
  return overflow
}
