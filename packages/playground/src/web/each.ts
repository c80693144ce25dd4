import { createElement, Fragment, type ReactNode } from 'react'

/** Renders items that are identified only by their position, such as the cells of a row. */
export function Each<T>({
  of,
  children,
}: {
  of: readonly T[]
  children: (item: T, index: number) => ReactNode
}) {
  return createElement(Fragment, null, ...of.map(children))
}
