import { type RefObject, useLayoutEffect, useState } from 'react'

/** Whether the content of a scrollable element overflows (`rows`, `columns`), and whether more follows below or to the right. */
export interface Overflow {
  rows: boolean
  columns: boolean
  below: boolean
  right: boolean
}

const NO_OVERFLOW: Overflow = { rows: false, columns: false, below: false, right: false }
/** Tolerance, because browsers round sizes. */
const TOLERANCE_PX = 2

function measure(element: HTMLElement): Overflow {
  const hiddenHeight = element.scrollHeight - element.clientHeight
  const hiddenWidth = element.scrollWidth - element.clientWidth
  return {
    rows: hiddenHeight > TOLERANCE_PX,
    columns: hiddenWidth > TOLERANCE_PX,
    below: hiddenHeight - element.scrollTop > TOLERANCE_PX,
    right: hiddenWidth - element.scrollLeft > TOLERANCE_PX,
  }
}

const isSame = (one: Overflow, other: Overflow): boolean =>
  one.rows === other.rows &&
  one.columns === other.columns &&
  one.below === other.below &&
  one.right === other.right

/** Measures an element's overflow, and again when it or its content changes size, and on scrolling. */
export function useOverflow(ref: RefObject<HTMLElement | null>): Overflow {
  const [overflow, setOverflow] = useState(NO_OVERFLOW)
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const update = () => {
      const next = measure(element)
      setOverflow((before) => (isSame(before, next) ? before : next))
    }
    const observer = new ResizeObserver(update)
    observer.observe(element)
    if (element.firstElementChild) observer.observe(element.firstElementChild)
    element.addEventListener('scroll', update, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', update)
    }
  }, [ref])
  return overflow
}
