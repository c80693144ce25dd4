export { readManifest } from './manifest/manifest.ts'
export type { Block, CommandWay, Fields, Message, Tour } from './protocol.ts'
export type { Level } from './rules/rule.ts'
export {
  type Playground,
  type PlaygroundOptions,
  startPlayground,
  type WeatherPattern,
  type WeatherSource,
} from './start.ts'
export { checkMessage } from './strict/message.ts'
export { checkView } from './strict/view.ts'
