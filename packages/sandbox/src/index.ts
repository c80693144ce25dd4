export { threatEventId } from './seed/threat-events.ts'
export { type Sandbox, type SandboxOptions, startSandbox } from './start.ts'
