export declare function removeDataDir(dataDir: string): void;
