export { readManifest } from './manifest/manifest.ts'
export {
  type HostPanel,
  type Playground,
  type PlaygroundOptions,
  type PressAnswer,
  startPlayground,
} from './program/start.ts'
export type { Block, Delivery, Fields, Message } from './protocol/protocol.ts'
export type { Level } from './rules/rule.ts'
export { checkMessage } from './validation/message.ts'
export { checkView } from './validation/view.ts'
