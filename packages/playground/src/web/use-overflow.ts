import { type RefObject, useLayoutEffect, useState } from 'react'

/** How the content of a scrollable element overflows. */
export interface Overflow {
  /** The content is taller than the element. */
  isTaller: boolean
  /** The content is wider than the element. */
  isWider: boolean
  /** There is more content below the visible part. */
  hasMoreBelow: boolean
  /** There is more content to the right of the visible part. */
  hasMoreRight: boolean
  /** The number of a table's columns that fit without scrolling. */
  columnsThatFit: number
}

const NO_OVERFLOW: Overflow = {
  isTaller: false,
  isWider: false,
  hasMoreBelow: false,
  hasMoreRight: false,
  columnsThatFit: 0,
}
/** Tolerance, because browsers round sizes. */
const TOLERANCE_PX = 2

function measure(element: HTMLElement): Overflow {
  const hiddenHeight = element.scrollHeight - element.clientHeight
  const hiddenWidth = element.scrollWidth - element.clientWidth
  const headings = [...element.querySelectorAll<HTMLElement>('thead th')]
  const fits = ({ offsetLeft, offsetWidth }: HTMLElement) =>
    offsetLeft + offsetWidth <= element.clientWidth + TOLERANCE_PX
  return {
    columnsThatFit: headings.filter(fits).length,
    isTaller: hiddenHeight > TOLERANCE_PX,
    isWider: hiddenWidth > TOLERANCE_PX,
    hasMoreBelow: hiddenHeight - element.scrollTop > TOLERANCE_PX,
    hasMoreRight: hiddenWidth - element.scrollLeft > TOLERANCE_PX,
  }
}

const isSame = (left: Overflow, right: Overflow): boolean =>
  left.isTaller === right.isTaller &&
  left.isWider === right.isWider &&
  left.hasMoreBelow === right.hasMoreBelow &&
  left.hasMoreRight === right.hasMoreRight &&
  left.columnsThatFit === right.columnsThatFit

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
