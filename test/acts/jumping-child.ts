// The app in a process whose clock can be set wrong while it runs.
import './jumping-clock.ts'

await import('./app-child.ts')
