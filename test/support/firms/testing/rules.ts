/** The value of an item in SQL: units of six minutes at an hourly rate, or units at their own rate. */
export const VALUE = `round(case w."ItemType" when 'Timed'
  then coalesce(w."Units", greatest(1, ceil(w."DurationTicks" / 3600000000.0))) * 0.1
  else coalesce(w."Units", 1) end * w."Rate", 2)`;

export const COST_VALUE = `round(c."Quantity" * c."UnitAmount", 2)`;

/** The amount of a line. */
export const AMOUNT = `case when l."Kind" = 'Text' then 0 else coalesce(l."Amount", ${VALUE}, ${COST_VALUE}) end`;

export const LINES = `etl."InvoiceLine" l join etl."Invoice" i on i."ImportId" = l."InvoiceId"
  left join etl."WorkItem" w on w."ImportId" = l."WorkItemId"
  left join etl."CostRecovery" c on c."ImportId" = l."CostRecoveryId"`;

const ISSUED = `i."State" in ('Issued', 'PartPaid', 'Paid', 'WrittenOff')`;

/** The totals of invoices and their payments. The tax of a code is rounded once. */
export const TOTALS = `(
  select n."ImportId", n."MatterId", n."State", n."Total",
    sum(n.net) + sum(round(n.net * coalesce(r."Percent", 0) / 100, 2)) as total,
    (select coalesce(sum(p."Amount"), 0) from etl."Payment" p where p."InvoiceId" = n."ImportId") as paid
  from (
    select i."ImportId", i."MatterId", i."State", i."Total", coalesce(i."IssueDate", '2025-12-31') as day,
      coalesce(l."TaxCodeId", 'TAX-1') as code, sum(${AMOUNT}) as net
    from ${LINES} group by 1, 2, 3, 4, 5, 6
  ) n
  left join etl."TaxRate" r on r."TaxCodeId" = n.code and n.day >= r."FromDate" and (n.day <= r."ToDate" or r."ToDate" is null)
  group by 1, 2, 3, 4)`;

const zone = `(select "TimeZone" from etl."Info")`;
const dayOf = (column: string) => `(${column} at time zone 'UTC' at time zone ${zone})::date`;
const cutover = `(select "CutoverDate" from etl."Info")`;
const base = `(select "BaseCurrency" from etl."Info")`;
const matters = 'etl."Matter" m';
const onMatter = `join ${matters} on m."ImportId" =`;

/** The rows that break a rule, by rule. */
export const rules: Readonly<Record<string, string>> = {
  'entities have the names of their type': `select from etl."Entity" where ("EntityType" = 'Organisation') <> ("Name" is not null)
    or ("EntityType" = 'Individual') <> ("LastName" is not null) or ("EntityType" = 'Organisation' and "FirstName" is not null)`,
  'employees are individuals': `select from etl."Employee" e join etl."Entity" n on n."ImportId" = e."EntityId" where n."EntityType" <> 'Individual'`,
  'only active clients have open matters': `select from ${matters} join etl."Client" k on k."ImportId" = m."ClientId"
    where m."State" = 'Open' and k."State" <> 'Active' or k."State" = 'New'`,
  'closed matters say when': `select from ${matters} where ("State" = 'Open') <> ("DateClosed" is null) or "DateClosed" < "DateOpened"`,
  'closed matters have no unbilled work': `select from etl."WorkItem" w ${onMatter} w."MatterId"
    where m."State" <> 'Open' and w."IsBillable" and w."State" in ('Pending', 'Finalised')`,
  'closed matters have no unbilled costs': `select from etl."CostRecovery" c ${onMatter} c."MatterId"
    where m."State" <> 'Open' and c."Kind" <> 'Anticipated' and c."State" in ('Pending', 'Finalised')`,
  'closed matters have no drafts': `select from etl."Invoice" i ${onMatter} i."MatterId" where m."State" <> 'Open' and i."State" = 'Draft'`,
  'timed items have ticks': `select from etl."WorkItem" where ("ItemType" = 'Timed') <> coalesce("DurationTicks" > 0, false)`,
  'units are those of the ticks': `select from etl."WorkItem" where "ItemType" = 'Timed' and "Units" <> ceil("DurationTicks" / 3600000000.0)`,
  'items are worth something': `select from etl."WorkItem" w where ${VALUE} <= 0`,
  'items were written off after they were done': `select from etl."WorkItem" where ("State" = 'WrittenOff') <> ("WriteOffDate" is not null)
    or "WriteOffDate" < ${dayOf('"EntryDate"')} or "WriteOffDate" > ${cutover}`,
  'billed items are on one line of an issued invoice': `select from etl."WorkItem" w where ("State" = 'Billed') <>
    ((select count(*) from etl."InvoiceLine" l join etl."Invoice" i on i."ImportId" = l."InvoiceId"
      where l."WorkItemId" = w."ImportId" and ${ISSUED}) = 1)`,
  'billed costs are on one line of an issued invoice': `select from etl."CostRecovery" c where ("State" = 'Billed') <>
    ((select count(*) from etl."InvoiceLine" l join etl."Invoice" i on i."ImportId" = l."InvoiceId"
      where l."CostRecoveryId" = c."ImportId" and ${ISSUED}) = 1)`,
  'no item is on two lines': `select from etl."InvoiceLine" where "WorkItemId" is not null group by "WorkItemId" having count(*) > 1`,
  'no cost is on two lines': `select from etl."InvoiceLine" where "CostRecoveryId" is not null group by "CostRecoveryId" having count(*) > 1`,
  'drafts hold finalised work': `select from ${LINES} where i."State" = 'Draft' and (w."State" <> 'Finalised' or c."State" <> 'Finalised')`,
  'lines charge what can be charged': `select from ${LINES} where not w."IsBillable" or c."Kind" = 'Anticipated'`,
  'lines are of the matter': `select from ${LINES} where w."MatterId" <> i."MatterId" or c."MatterId" <> i."MatterId"`,
  'lines charge what their kind does': `select from ${LINES} where (l."Kind" = 'Fee') <> (w."ImportId" is not null)
    or (l."Kind" = 'CostRecovery') <> coalesce(c."Kind" = 'CostRecovery', false) or (l."Kind" = 'Disbursement') <> coalesce(c."Kind" = 'Incurred', false)
    or (l."Kind" = 'Discount') <> coalesce(l."Amount" < 0, false) or (l."Kind" = 'Text' and coalesce(l."Amount", l."Units", l."Rate") is not null)`,
  'lines charge what it is worth': `select from ${LINES} where l."Amount" <> coalesce(${VALUE}, ${COST_VALUE})`,
  "lines are taxed as their cost's code": `select from ${LINES} join etl."DisbursementCode" d on d."ImportId" = c."DisbursementCodeId"
    where coalesce(l."TaxCodeId", 'TAX-1') <> d."TaxCodeId"`,
  'work came before its invoice': `select from ${LINES} where ${dayOf('w."EntryDate"')} > i."IssueDate" or ${dayOf('c."EntryDate"')} > i."IssueDate"`,
  'invoices are of the client of the matter': `select from etl."Invoice" i ${onMatter} i."MatterId" where m."ClientId" <> i."ClientId"`,
  'all but drafts have a number and a day': `select from etl."Invoice" where ("State" = 'Draft') <> ("Number" is null)
    or ("State" <> 'Draft' and "IssueDate" is null) or "DueDate" < "IssueDate" or "IssueDate" > ${cutover}`,
  'totals are those of the lines': `select from ${TOTALS} t where "Total" <> total or total <= 0`,
  'payments are as the state says': `select from ${TOTALS} t where case "State"
    when 'Paid' then paid <> total when 'PartPaid' then paid <= 0 or paid >= total when 'WrittenOff' then paid >= total else paid <> 0 end`,
  'payments came after their invoice': `select from etl."Payment" p join etl."Invoice" i on i."ImportId" = p."InvoiceId"
    where p."Date" < i."IssueDate" or p."Date" > ${cutover} or p."Amount" <= 0`,
  'costs suit their codes': `select from etl."CostRecovery" c join etl."DisbursementCode" d on d."ImportId" = c."DisbursementCodeId"
    where d."Kind" <> c."Kind" or (c."Kind" = 'Incurred' and c."SupplierId" is null)`,
  'task types suit their items': `select from etl."WorkItem" w join etl."TaskType" t on t."ImportId" = w."TaskTypeId" where t."ItemType" <> w."ItemType"`,
  'work is of the time of its matter': `select from etl."WorkItem" w ${onMatter} w."MatterId"
    where w."EntryDate" < m."DateOpened" or w."EntryDate" > m."DateClosed" or ${dayOf('w."EntryDate"')} > ${cutover}`,
  'everything is in the base currency': `select from (select "Currency" from etl."Entity" union select "Currency" from etl."Matter"
    union select "Currency" from etl."RateSet" union select "Currency" from etl."Invoice" union select "RateCurrency" from etl."WorkItem") s
    where "Currency" <> ${base}`,
  'rates of tax do not overlap': `select from etl."TaxRate" a join etl."TaxRate" b on a."TaxCodeId" = b."TaxCodeId" and a."ImportId" <> b."ImportId"
    and a."FromDate" <= coalesce(b."ToDate", 'infinity') and b."FromDate" <= coalesce(a."ToDate", 'infinity')`,
  'codes have the rates of their category': `select from etl."TaxCode" t where ("Category" in ('Standard', 'Reduced'))
    <> exists (select from etl."TaxRate" r where r."TaxCodeId" = t."ImportId")`,
  'agreed rates do not overlap': `select from etl."ApplicableRate" a join etl."ApplicableRate" b
    on (a."Scope", a."ScopeId", a."Per") = (b."Scope", b."ScopeId", b."Per") and a."ImportId" <> b."ImportId"
    and a."EmployeeId" is not distinct from b."EmployeeId" and a."TaskTypeId" is not distinct from b."TaskTypeId"
    and a."BillingGrade" is not distinct from b."BillingGrade"
    and a."EffectiveFrom" <= coalesce(b."EffectiveTo", 'infinity') and b."EffectiveFrom" <= coalesce(a."EffectiveTo", 'infinity')`,
  'entries of a rate set are distinct': `select from etl."RateSetEntry"
    group by "RateSetId", "Per", "EmployeeId", "TaskTypeId", "MatterTypeId", "BillingGrade", "JobTitle" having count(*) > 1`,
  'one rate set is the default': `select from etl."RateSet" having count(*) filter (where "IsDefault") <> 1`,
  'matter types have two levels': `select from etl."MatterType" t join etl."MatterType" p on p."ImportId" = t."ParentId" where p."ParentId" is not null`,
};
