-- Tables of a bulk import, schema version 1.0. docs/import says what each column means.
-- No foreign keys: rows may arrive in any order, and the import reports what refers to nothing.
IF SCHEMA_ID(N'etl') IS NULL EXEC(N'CREATE SCHEMA [etl]');
GO
CREATE TABLE [etl].[Info] (
  [ImportId] nvarchar(100) COLLATE Latin1_General_BIN2 NOT NULL,
  [SchemaVersion] nvarchar(10) NOT NULL,
  [SourceSystem] nvarchar(100) NOT NULL,
  [ExtractedAtUtc] datetime2(7) NOT NULL,
  [CutoverDate] date NOT NULL,
  [BaseCurrency] nchar(3) NOT NULL,
  [TimeZone] nvarchar(64) NOT NULL,
  CONSTRAINT [PK_Info] PRIMARY KEY ([ImportId])
);
GO
CREATE TABLE [etl].[Division] (
  [ImportId] nvarchar(100) COLLATE Latin1_General_BIN2 NOT NULL,
  [Code] nvarchar(20) NULL,
  [Name] nvarchar(200) NOT NULL,
  CONSTRAINT [PK_Division] PRIMARY KEY ([ImportId])
);
GO
CREATE TABLE [etl].[MatterType] (
  [ImportId] nvarchar(100) COLLATE Latin1_General_BIN2 NOT NULL,
  [Code] nvarchar(20) NULL,
  [Name] nvarchar(200) NOT NULL,
  [ParentId] nvarchar(100) NULL,
  CONSTRAINT [PK_MatterType] PRIMARY KEY ([ImportId])
);
GO
CREATE TABLE [etl].[Role] (
  [ImportId] nvarchar(100) COLLATE Latin1_General_BIN2 NOT NULL,
  [Code] nvarchar(20) NULL,
  [Name] nvarchar(100) NOT NULL,
  CONSTRAINT [PK_Role] PRIMARY KEY ([ImportId])
);
GO
CREATE TABLE [etl].[TaskType] (
  [ImportId] nvarchar(100) COLLATE Latin1_General_BIN2 NOT NULL,
  [Code] nvarchar(20) NOT NULL,
  [Name] nvarchar(200) NOT NULL,
  [ItemType] nvarchar(30) NULL,
  [PhaseCode] nvarchar(20) NULL,
  [TaskCode] nvarchar(20) NULL,
  [ActivityCode] nvarchar(20) NULL,
  [Narration] nvarchar(500) NULL,
  [IsBillable] bit NOT NULL,
  CONSTRAINT [PK_TaskType] PRIMARY KEY ([ImportId])
);
GO
CREATE TABLE [etl].[TaxCode] (
  [ImportId] nvarchar(100) COLLATE Latin1_General_BIN2 NOT NULL,
  [Code] nvarchar(20) NOT NULL,
  [Name] nvarchar(200) NOT NULL,
  [Scheme] nvarchar(30) NOT NULL,
  [Category] nvarchar(30) NOT NULL,
  CONSTRAINT [PK_TaxCode] PRIMARY KEY ([ImportId])
);
GO
CREATE TABLE [etl].[TaxRate] (
  [ImportId] nvarchar(100) COLLATE Latin1_General_BIN2 NOT NULL,
  [TaxCodeId] nvarchar(100) NOT NULL,
  [Percent] decimal(9,4) NOT NULL,
  [FromDate] date NOT NULL,
  [ToDate] date NULL,
  CONSTRAINT [PK_TaxRate] PRIMARY KEY ([ImportId])
);
GO
CREATE TABLE [etl].[DisbursementCode] (
  [ImportId] nvarchar(100) COLLATE Latin1_General_BIN2 NOT NULL,
  [Code] nvarchar(20) NOT NULL,
  [Name] nvarchar(200) NOT NULL,
  [Kind] nvarchar(30) NULL,
  [TaxCodeId] nvarchar(100) NOT NULL,
  [UnitAmount] decimal(19,4) NULL,
  [Description] nvarchar(500) NULL,
  CONSTRAINT [PK_DisbursementCode] PRIMARY KEY ([ImportId])
);
GO
CREATE TABLE [etl].[Entity] (
  [ImportId] nvarchar(100) COLLATE Latin1_General_BIN2 NOT NULL,
  [EntityType] nvarchar(30) NOT NULL,
  [FirstName] nvarchar(100) NULL,
  [LastName] nvarchar(100) NULL,
  [Name] nvarchar(200) NULL,
  [Email] nvarchar(254) NULL,
  [Phone] nvarchar(50) NULL,
  [Currency] nchar(3) NULL,
  [Street] nvarchar(200) NULL,
  [City] nvarchar(100) NULL,
  [Region] nvarchar(100) NULL,
  [Postcode] nvarchar(20) NULL,
  [Country] nvarchar(100) NULL,
  [RegistrationNumber] nvarchar(50) NULL,
  [TaxNumber] nvarchar(50) NULL,
  CONSTRAINT [PK_Entity] PRIMARY KEY ([ImportId])
);
GO
CREATE TABLE [etl].[Employee] (
  [ImportId] nvarchar(100) COLLATE Latin1_General_BIN2 NOT NULL,
  [EntityId] nvarchar(100) NOT NULL,
  [DivisionId] nvarchar(100) NULL,
  [Initials] nvarchar(10) NULL,
  [JobTitle] nvarchar(100) NULL,
  [BillingGrade] nvarchar(50) NULL,
  [IsFeeEarner] bit NOT NULL,
  [DefaultRate] decimal(19,10) NULL,
  [State] nvarchar(30) NOT NULL,
  CONSTRAINT [PK_Employee] PRIMARY KEY ([ImportId])
);
GO
CREATE TABLE [etl].[Client] (
  [ImportId] nvarchar(100) COLLATE Latin1_General_BIN2 NOT NULL,
  [EntityId] nvarchar(100) NOT NULL,
  [ClientNumber] nvarchar(50) NULL,
  [State] nvarchar(30) NOT NULL,
  [PaymentTermsDays] int NULL,
  CONSTRAINT [PK_Client] PRIMARY KEY ([ImportId])
);
GO
CREATE TABLE [etl].[Supplier] (
  [ImportId] nvarchar(100) COLLATE Latin1_General_BIN2 NOT NULL,
  [EntityId] nvarchar(100) NOT NULL,
  [State] nvarchar(30) NOT NULL,
  [PaymentTermsDays] int NULL,
  CONSTRAINT [PK_Supplier] PRIMARY KEY ([ImportId])
);
GO
CREATE TABLE [etl].[RateSet] (
  [ImportId] nvarchar(100) COLLATE Latin1_General_BIN2 NOT NULL,
  [Name] nvarchar(200) NOT NULL,
  [Currency] nchar(3) NOT NULL,
  [IsDefault] bit NOT NULL,
  CONSTRAINT [PK_RateSet] PRIMARY KEY ([ImportId])
);
GO
CREATE TABLE [etl].[RateSetEntry] (
  [ImportId] nvarchar(100) COLLATE Latin1_General_BIN2 NOT NULL,
  [RateSetId] nvarchar(100) NOT NULL,
  [EmployeeId] nvarchar(100) NULL,
  [TaskTypeId] nvarchar(100) NULL,
  [MatterTypeId] nvarchar(100) NULL,
  [BillingGrade] nvarchar(50) NULL,
  [JobTitle] nvarchar(100) NULL,
  [Rate] decimal(19,10) NOT NULL,
  [Per] nvarchar(30) NOT NULL,
  CONSTRAINT [PK_RateSetEntry] PRIMARY KEY ([ImportId])
);
GO
CREATE TABLE [etl].[Matter] (
  [ImportId] nvarchar(100) COLLATE Latin1_General_BIN2 NOT NULL,
  [ClientId] nvarchar(100) NOT NULL,
  [DivisionId] nvarchar(100) NOT NULL,
  [MatterTypeId] nvarchar(100) NULL,
  [ResponsiblePersonId] nvarchar(100) NULL,
  [ActingPersonId] nvarchar(100) NULL,
  [AssistingPersonId] nvarchar(100) NULL,
  [MatterNumber] nvarchar(50) NULL,
  [Title] nvarchar(500) NOT NULL,
  [Currency] nchar(3) NULL,
  [DateOpened] datetime2(7) NOT NULL,
  [DateClosed] datetime2(7) NULL,
  [State] nvarchar(30) NOT NULL,
  [FeeEstimate] decimal(19,4) NULL,
  CONSTRAINT [PK_Matter] PRIMARY KEY ([ImportId])
);
GO
CREATE TABLE [etl].[ApplicableRate] (
  [ImportId] nvarchar(100) COLLATE Latin1_General_BIN2 NOT NULL,
  [Scope] nvarchar(30) NOT NULL,
  [ScopeId] nvarchar(100) NOT NULL,
  [EmployeeId] nvarchar(100) NULL,
  [TaskTypeId] nvarchar(100) NULL,
  [BillingGrade] nvarchar(50) NULL,
  [Rate] decimal(19,10) NOT NULL,
  [Per] nvarchar(30) NOT NULL,
  [EffectiveFrom] date NOT NULL,
  [EffectiveTo] date NULL,
  CONSTRAINT [PK_ApplicableRate] PRIMARY KEY ([ImportId])
);
GO
CREATE TABLE [etl].[WorkItem] (
  [ImportId] nvarchar(100) COLLATE Latin1_General_BIN2 NOT NULL,
  [MatterId] nvarchar(100) NULL,
  [EmployeeId] nvarchar(100) NOT NULL,
  [TaskTypeId] nvarchar(100) NULL,
  [ItemType] nvarchar(30) NOT NULL,
  [EntryDate] datetime2(7) NOT NULL,
  [DurationTicks] bigint NULL,
  [Units] decimal(19,4) NULL,
  [Rate] decimal(19,10) NOT NULL,
  [RateCurrency] nchar(3) NOT NULL,
  [Title] nvarchar(500) NULL,
  [State] nvarchar(30) NOT NULL,
  [IsBillable] bit NOT NULL,
  [WriteOffDate] date NULL,
  CONSTRAINT [PK_WorkItem] PRIMARY KEY ([ImportId])
);
GO
CREATE TABLE [etl].[CostRecovery] (
  [ImportId] nvarchar(100) COLLATE Latin1_General_BIN2 NOT NULL,
  [MatterId] nvarchar(100) NOT NULL,
  [DisbursementCodeId] nvarchar(100) NOT NULL,
  [SupplierId] nvarchar(100) NULL,
  [Kind] nvarchar(30) NOT NULL,
  [EntryDate] datetime2(7) NOT NULL,
  [Quantity] decimal(19,4) NOT NULL,
  [UnitAmount] decimal(19,4) NOT NULL,
  [Description] nvarchar(500) NULL,
  [State] nvarchar(30) NOT NULL,
  CONSTRAINT [PK_CostRecovery] PRIMARY KEY ([ImportId])
);
GO
CREATE TABLE [etl].[Invoice] (
  [ImportId] nvarchar(100) COLLATE Latin1_General_BIN2 NOT NULL,
  [ClientId] nvarchar(100) NOT NULL,
  [MatterId] nvarchar(100) NOT NULL,
  [Number] nvarchar(50) NULL,
  [IssueDate] date NULL,
  [DueDate] date NULL,
  [Currency] nchar(3) NOT NULL,
  [State] nvarchar(30) NOT NULL,
  [Total] decimal(19,4) NULL,
  CONSTRAINT [PK_Invoice] PRIMARY KEY ([ImportId])
);
GO
CREATE TABLE [etl].[InvoiceLine] (
  [ImportId] nvarchar(100) COLLATE Latin1_General_BIN2 NOT NULL,
  [InvoiceId] nvarchar(100) NOT NULL,
  [WorkItemId] nvarchar(100) NULL,
  [CostRecoveryId] nvarchar(100) NULL,
  [TaxCodeId] nvarchar(100) NULL,
  [Kind] nvarchar(30) NOT NULL,
  [Description] nvarchar(500) NULL,
  [Units] decimal(19,4) NULL,
  [Rate] decimal(19,10) NULL,
  [Amount] decimal(19,4) NULL,
  CONSTRAINT [PK_InvoiceLine] PRIMARY KEY ([ImportId])
);
GO
CREATE TABLE [etl].[Payment] (
  [ImportId] nvarchar(100) COLLATE Latin1_General_BIN2 NOT NULL,
  [InvoiceId] nvarchar(100) NOT NULL,
  [Date] date NOT NULL,
  [Amount] decimal(19,4) NOT NULL,
  [Reference] nvarchar(200) NULL,
  CONSTRAINT [PK_Payment] PRIMARY KEY ([ImportId])
);
GO
CREATE TABLE [etl].[ControlTotal] (
  [ImportId] nvarchar(100) COLLATE Latin1_General_BIN2 NOT NULL,
  [Measure] nvarchar(30) NOT NULL,
  [GroupBy] nvarchar(30) NOT NULL,
  [GroupKey] nvarchar(100) NULL,
  [Count] int NULL,
  [Amount] decimal(19,4) NULL,
  CONSTRAINT [PK_ControlTotal] PRIMARY KEY ([ImportId])
);
GO
