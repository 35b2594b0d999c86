type ModuleName = 'gallery' | 'h264' | 'inference' | 'jpeg' | 'picture' | 'registration' | 'vp8'

/** Our modules; the folder of each has its name. */
export const modules: Readonly<Record<ModuleName, { file: string }>>

export function buildModule(name: ModuleName): Promise<{ bytes: Uint8Array; sha256: string }>
