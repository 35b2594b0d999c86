import type { Deps } from '../app-env.ts'
import type { ContainerIntake } from '../submission/read-container.ts'

/** The door of routes whose caller proved a company. */
export const openDoor = ({ services, platform }: Deps): ContainerIntake => ({
  reader: services.containerReader,
  nowMs: platform.nowMs,
  isCompanyProven: true,
})
