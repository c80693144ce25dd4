import { type RefObject, useLayoutEffect, useState } from 'react'

/** How the content of a scrollable element overflows. */
export interface Overflow {
  /** The content is higher than the element. */
  rows: boolean
  /** The content is wider than the element. */
  columns: boolean
  /** There is more content below the visible part. */
  below: boolean
  /** There is more content to the right of the visible part. */
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

const isSame = (left: Overflow, right: Overflow): boolean =>
  left.rows === right.rows &&
  left.columns === right.columns &&
  left.below === right.below &&
  left.right === right.right

/** Measures an element's overflow, and updates it on scrolling and when the element or its content changes size. */
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
