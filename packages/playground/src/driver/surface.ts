import type { Message, OpenView, View } from '../protocol/protocol.ts'
/** A message, modal, or Home tab with elements that a person can use. */
export type Surface = Message | OpenView | View

/** A surface from an answer, which may not have one. Methods throw if it is undefined. */
export type MaybeSurface = Surface | undefined
