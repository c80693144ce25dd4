import { createElement, Fragment, type ReactNode } from 'react'

/** Renders items that are identified only by their position: the cells of a row, the words of a text. */
export function Each<T>({
  of,
  children,
}: {
  of: readonly T[]
  children: (item: T, index: number) => ReactNode
}) {
  return createElement(Fragment, null, ...of.map(children))
}
