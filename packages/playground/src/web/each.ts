import { createElement, Fragment, type ReactNode } from 'react'

/** Renders a list of items that have no IDs and never move, such as the cells of a row, so they don't need keys. */
export function Each<T>({
  of,
  children,
}: {
  of: readonly T[]
  children: (item: T, index: number) => ReactNode
}) {
  return createElement(Fragment, null, ...of.map(children))
}
