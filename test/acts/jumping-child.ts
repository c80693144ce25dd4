// The app in a process whose clock can be changed while it runs.
import './jumping-clock.ts'

await import('./app-child.ts')
